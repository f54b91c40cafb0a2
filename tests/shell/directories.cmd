md a
md a\b
cd a\b
cd
cd ..
cd
md c
dir /b
cd c
cd \
cd nowhere
cd a\
cd..
cd a\b\..\c
cd c:
cd \
rd a
rd a\b
rd a\c
rd a
dir a
d:
q:
a:
c:
md a.b
cd a.b
md a.b
