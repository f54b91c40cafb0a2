if a==a echo same
if a==b echo not same
if not a==b echo differs
if "a b"=="a b" echo quoted
if ""=="" echo empty
if a == a echo blanks
if exist tail.com echo there
if exist *.com echo some
if exist nowhere\nul echo wrong
if exist nul echo device
md sub
if exist sub\nul echo directory
if not exist sub\x echo no x
if not1==not1 echo a word that begins as NOT does
if exist_a==exist_a echo one that begins as EXIST does
if "exist"=="exist" echo quoted
if exist
if a=b echo x
if
code 5
if errorlevel 5 echo five
if errorlevel 6 echo six
if errorlevel x echo x
for %a in (1 2,3) do echo %a
for %f in (*.com) do @echo file %f
for %f in (*.com *.exe x) do @tail %f
for %d in (.\*.com) do @echo %d
for %a in () do echo never
for %a in (*.none) do echo never
for %a in (a b) do for %b in (1 2) do echo no
for a in (1) do echo
for %a (1) do echo
for %a in (1 do echo
for %a in (1) echo
for %a in (1 2) do @if %a==2 echo two
for %a in (x y) do @echo %a| cat
for %a in (x y) do @echo %a>> list
type list
echo @for %%a in (p q) do @call s %%a> f.bat
echo @echo got %1> s.bat
f
copy tail.com for1.com > nul
copy tail.com if_a.com > nul
copy tail.com rem-1.com > nul
for1 %x in (1) do
if_a a==a echo
rem-1 x
rem,nothing
for;%x;in;(1);do;@echo %x
