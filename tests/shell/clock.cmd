date 02-29-96
date 02-30-96
01-02-97
time 13:14:15.16
time 25
1:2p
date

time

ver
vol
vol q:
break
break on
break
break off
verify
verify x
pause
k
cls
exit
echo never
