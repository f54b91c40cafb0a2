echo
echo off
echo hidden prompt?
echo
echo on
echo.
echo.text after a dot
echo   three blanks before
echo a,b;c=d
echo "a | b > c"
rem nothing > nofile
if exist nofile echo there
@echo at
ver
;,= echo separators
nosuch
nosuch.exe 1 2
foo.txt
ec*ho
