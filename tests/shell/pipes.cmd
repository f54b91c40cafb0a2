echo to a file> f
type f
echo more>> f
type f
cat < f
cat < f > g
type g
cat < nothing
echo x > nowhere\f
echo piped | cat
echo three | cat | cat | cat
type f | cat > h
type h
type nothing | cat
tail a b > t
type t
tail >> t c d
type t
tail /x,y;z
> empty
dir /b empty
echo a|cat>i
type i
dir /b *.com | cat
echo 1 | code 4
if errorlevel 4 echo four
code 2 | cat
echo y | del *.h
| cat
echo a |
echo a >
echo @echo from batch> b.bat
echo @cat>> b.bat
echo into | b
b < f | cat
dir /b
zero
if errorlevel 122 echo crashed
huge
command /c echo inner | cat
command /c code 3
if errorlevel 3 echo three
copy f con
type f > con
