set
set X=one two 
set x
echo [%x%] %nothing% 100%
set path
path
path c:\;c:\bin
path
path ;
path
tail a
set X=
set
prompt [$n$g$l$b$q$$$_$h$v]
prompt $p$g
prompt
prompt $p$g
set A=1
set B=2
set A=3
set
set =x
path c:\
md bin
copy tail.com bin\other.com
other x
path c:\;c:\bin;
other y /z
bin\other w
\bin\other.com v
.\bin\other u
