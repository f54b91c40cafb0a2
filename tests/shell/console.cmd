copy con new2.txt
typed line

type new2.txt
