echo @call r %1x> r.bat
r
echo still here
set A=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
set B=%A%
set C=%A%
set D=%A%
set E=%A%
set F=%A%
set G=%A%
set H=%A%
set I=%A%
set J=%A%
set K=%A%
set L=%A%
set M=%A%
set N=%A%
set O=%A%
set P=%A%
set Q=%A%
set R=%A%
