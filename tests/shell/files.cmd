dir
echo one> one.txt
echo two> two.txt
echo three> three.c
type one.txt
type nothing.txt
type
copy one.txt four.txt
copy one.txt+two.txt both.txt
type both.txt
copy /b one.txt+two.txt both2.txt
copy *.txt *.bak
copy one.txt one.txt
copy nothing.x y
copy
md sub
copy *.txt sub
dir sub
dir *.txt /b
dir /w
dir three
dir *.xyz
dir nowhere\*.*
dir sub\one /b /s
dir /s /b *.txt
dir *.bak /s
dir /ad /b
dir /x
ren two.txt deux.txt
ren *.bak *.old
ren nothing x
ren one.txt deux.txt
dir *.old /b
del *.old
del nothing
del sub
n
del sub\*.*
y
del *.c /p
y
rd sub
rd sub
md \
cd sub
copy con new.txt
typed line
and another
type new.txt
copy one.txt nul
truename ..\x
