md s
cd s
echo 1> beta.txt
echo 22> alpha.txt
echo 333> beta.c
echo 4444> gamma
md delta
md alpha.dir
dir /b /o
dir /b/on
dir /b /o-n
dir /b /o:e
dir /b /o-e-n
dir /b /os b*.*
dir /b /o-g-s
dir /b /a-d /oe-n
dir /b /s /on *.txt
dir /b /o /w
dir /b /ox
dir /b /o-
