echo echo 0=%0 1=%1 2=%2 9=%9> a.bat
type a.bat
a one "two three" 4
call a x
echo @echo off> b.bat
echo call a 1 2>> b.bat
echo echo in b again %1 %%>> b.bat
echo shift>> b.bat
echo echo %0 %1>> b.bat
echo goto end>> b.bat
echo echo never>> b.bat
echo :end of it>> b.bat
echo a last>> b.bat
echo echo never either>> b.bat
b first second
echo goto nowhere> c.bat
echo echo never>> c.bat
c
echo code 3> d.bat
echo if errorlevel 4 echo four>> d.bat
echo if errorlevel 3 echo three>> d.bat
echo if not errorlevel 4 echo not four>> d.bat
echo if errorlevel 2 if not errorlevel 4 echo between>> d.bat
d
@echo off
d
a
echo on
echo @echo %1> n.bat
echo @if not "%1"=="aaaa" n a%1>> n.bat
n
echo @echo %Y%-%Z%-%%Y%%> v.bat
set Y=val
v
echo @exit> e.bat
echo :loop> loop.bat
echo @if "%1"=="" goto out>> loop.bat
echo @echo %1>> loop.bat
echo @shift>> loop.bat
echo @goto loop>> loop.bat
echo :out>> loop.bat
loop 1 2 3 4 5 6 7 8 9 10 11
loop > loop.out
call loop a b > loop.out
type loop.out
e
echo not reached
