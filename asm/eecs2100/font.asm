; font.asm: the characters 20h to 7Eh of the VGA's 8 by 14 font, 14 lines each from the top, bit 7 on the left.
; Figures measured from a VGA BIOS; the same glyphs are in the public domain as part of the fntcol16 collection.

        include eecs2100.inc

        .data

font    label   byte
        db      000h,000h,000h,000h,000h,000h,000h,000h,000h,000h,000h,000h,000h,000h ; blank
        db      000h,000h,018h,03Ch,03Ch,03Ch,018h,018h,000h,018h,018h,000h,000h,000h ; !
        db      000h,066h,066h,066h,024h,000h,000h,000h,000h,000h,000h,000h,000h,000h ; "
        db      000h,000h,06Ch,06Ch,0FEh,06Ch,06Ch,06Ch,0FEh,06Ch,06Ch,000h,000h,000h ; #
        db      018h,018h,07Ch,0C6h,0C2h,0C0h,07Ch,006h,086h,0C6h,07Ch,018h,018h,000h ; $
        db      000h,000h,000h,000h,0C2h,0C6h,00Ch,018h,030h,066h,0C6h,000h,000h,000h ; %
        db      000h,000h,038h,06Ch,06Ch,038h,076h,0DCh,0CCh,0CCh,076h,000h,000h,000h ; &
        db      000h,030h,030h,030h,060h,000h,000h,000h,000h,000h,000h,000h,000h,000h ; '
        db      000h,000h,00Ch,018h,030h,030h,030h,030h,030h,018h,00Ch,000h,000h,000h ; (
        db      000h,000h,030h,018h,00Ch,00Ch,00Ch,00Ch,00Ch,018h,030h,000h,000h,000h ; )
        db      000h,000h,000h,000h,066h,03Ch,0FFh,03Ch,066h,000h,000h,000h,000h,000h ; *
        db      000h,000h,000h,000h,018h,018h,07Eh,018h,018h,000h,000h,000h,000h,000h ; +
        db      000h,000h,000h,000h,000h,000h,000h,000h,018h,018h,018h,030h,000h,000h ; ,
        db      000h,000h,000h,000h,000h,000h,0FEh,000h,000h,000h,000h,000h,000h,000h ; -
        db      000h,000h,000h,000h,000h,000h,000h,000h,000h,018h,018h,000h,000h,000h ; .
        db      000h,000h,002h,006h,00Ch,018h,030h,060h,0C0h,080h,000h,000h,000h,000h ; /
        db      000h,000h,07Ch,0C6h,0CEh,0DEh,0F6h,0E6h,0C6h,0C6h,07Ch,000h,000h,000h ; 0
        db      000h,000h,018h,038h,078h,018h,018h,018h,018h,018h,07Eh,000h,000h,000h ; 1
        db      000h,000h,07Ch,0C6h,006h,00Ch,018h,030h,060h,0C6h,0FEh,000h,000h,000h ; 2
        db      000h,000h,07Ch,0C6h,006h,006h,03Ch,006h,006h,0C6h,07Ch,000h,000h,000h ; 3
        db      000h,000h,00Ch,01Ch,03Ch,06Ch,0CCh,0FEh,00Ch,00Ch,01Eh,000h,000h,000h ; 4
        db      000h,000h,0FEh,0C0h,0C0h,0C0h,0FCh,006h,006h,0C6h,07Ch,000h,000h,000h ; 5
        db      000h,000h,038h,060h,0C0h,0C0h,0FCh,0C6h,0C6h,0C6h,07Ch,000h,000h,000h ; 6
        db      000h,000h,0FEh,0C6h,006h,00Ch,018h,030h,030h,030h,030h,000h,000h,000h ; 7
        db      000h,000h,07Ch,0C6h,0C6h,0C6h,07Ch,0C6h,0C6h,0C6h,07Ch,000h,000h,000h ; 8
        db      000h,000h,07Ch,0C6h,0C6h,0C6h,07Eh,006h,006h,00Ch,078h,000h,000h,000h ; 9
        db      000h,000h,000h,018h,018h,000h,000h,000h,018h,018h,000h,000h,000h,000h ; :
        db      000h,000h,000h,018h,018h,000h,000h,000h,018h,018h,030h,000h,000h,000h ; ;
        db      000h,000h,006h,00Ch,018h,030h,060h,030h,018h,00Ch,006h,000h,000h,000h ; <
        db      000h,000h,000h,000h,000h,07Eh,000h,000h,07Eh,000h,000h,000h,000h,000h ; =
        db      000h,000h,060h,030h,018h,00Ch,006h,00Ch,018h,030h,060h,000h,000h,000h ; >
        db      000h,000h,07Ch,0C6h,0C6h,00Ch,018h,018h,000h,018h,018h,000h,000h,000h ; ?
        db      000h,000h,07Ch,0C6h,0C6h,0DEh,0DEh,0DEh,0DCh,0C0h,07Ch,000h,000h,000h ; @
        db      000h,000h,010h,038h,06Ch,0C6h,0C6h,0FEh,0C6h,0C6h,0C6h,000h,000h,000h ; A
        db      000h,000h,0FCh,066h,066h,066h,07Ch,066h,066h,066h,0FCh,000h,000h,000h ; B
        db      000h,000h,03Ch,066h,0C2h,0C0h,0C0h,0C0h,0C2h,066h,03Ch,000h,000h,000h ; C
        db      000h,000h,0F8h,06Ch,066h,066h,066h,066h,066h,06Ch,0F8h,000h,000h,000h ; D
        db      000h,000h,0FEh,066h,062h,068h,078h,068h,062h,066h,0FEh,000h,000h,000h ; E
        db      000h,000h,0FEh,066h,062h,068h,078h,068h,060h,060h,0F0h,000h,000h,000h ; F
        db      000h,000h,03Ch,066h,0C2h,0C0h,0C0h,0DEh,0C6h,066h,03Ah,000h,000h,000h ; G
        db      000h,000h,0C6h,0C6h,0C6h,0C6h,0FEh,0C6h,0C6h,0C6h,0C6h,000h,000h,000h ; H
        db      000h,000h,03Ch,018h,018h,018h,018h,018h,018h,018h,03Ch,000h,000h,000h ; I
        db      000h,000h,01Eh,00Ch,00Ch,00Ch,00Ch,00Ch,0CCh,0CCh,078h,000h,000h,000h ; J
        db      000h,000h,0E6h,066h,06Ch,06Ch,078h,06Ch,06Ch,066h,0E6h,000h,000h,000h ; K
        db      000h,000h,0F0h,060h,060h,060h,060h,060h,062h,066h,0FEh,000h,000h,000h ; L
        db      000h,000h,0C6h,0EEh,0FEh,0FEh,0D6h,0C6h,0C6h,0C6h,0C6h,000h,000h,000h ; M
        db      000h,000h,0C6h,0E6h,0F6h,0FEh,0DEh,0CEh,0C6h,0C6h,0C6h,000h,000h,000h ; N
        db      000h,000h,038h,06Ch,0C6h,0C6h,0C6h,0C6h,0C6h,06Ch,038h,000h,000h,000h ; O
        db      000h,000h,0FCh,066h,066h,066h,07Ch,060h,060h,060h,0F0h,000h,000h,000h ; P
        db      000h,000h,07Ch,0C6h,0C6h,0C6h,0C6h,0D6h,0DEh,07Ch,00Ch,00Eh,000h,000h ; Q
        db      000h,000h,0FCh,066h,066h,066h,07Ch,06Ch,066h,066h,0E6h,000h,000h,000h ; R
        db      000h,000h,07Ch,0C6h,0C6h,060h,038h,00Ch,0C6h,0C6h,07Ch,000h,000h,000h ; S
        db      000h,000h,07Eh,07Eh,05Ah,018h,018h,018h,018h,018h,03Ch,000h,000h,000h ; T
        db      000h,000h,0C6h,0C6h,0C6h,0C6h,0C6h,0C6h,0C6h,0C6h,07Ch,000h,000h,000h ; U
        db      000h,000h,0C6h,0C6h,0C6h,0C6h,0C6h,0C6h,06Ch,038h,010h,000h,000h,000h ; V
        db      000h,000h,0C6h,0C6h,0C6h,0C6h,0D6h,0D6h,0FEh,07Ch,06Ch,000h,000h,000h ; W
        db      000h,000h,0C6h,0C6h,06Ch,038h,038h,038h,06Ch,0C6h,0C6h,000h,000h,000h ; X
        db      000h,000h,066h,066h,066h,066h,03Ch,018h,018h,018h,03Ch,000h,000h,000h ; Y
        db      000h,000h,0FEh,0C6h,08Ch,018h,030h,060h,0C2h,0C6h,0FEh,000h,000h,000h ; Z
        db      000h,000h,03Ch,030h,030h,030h,030h,030h,030h,030h,03Ch,000h,000h,000h ; [
        db      000h,000h,080h,0C0h,0E0h,070h,038h,01Ch,00Eh,006h,002h,000h,000h,000h ; backslash
        db      000h,000h,03Ch,00Ch,00Ch,00Ch,00Ch,00Ch,00Ch,00Ch,03Ch,000h,000h,000h ; ]
        db      010h,038h,06Ch,0C6h,000h,000h,000h,000h,000h,000h,000h,000h,000h,000h ; ^
        db      000h,000h,000h,000h,000h,000h,000h,000h,000h,000h,000h,000h,0FFh,000h ; _
        db      030h,030h,018h,000h,000h,000h,000h,000h,000h,000h,000h,000h,000h,000h ; `
        db      000h,000h,000h,000h,000h,078h,00Ch,07Ch,0CCh,0CCh,076h,000h,000h,000h ; a
        db      000h,000h,0E0h,060h,060h,078h,06Ch,066h,066h,066h,07Ch,000h,000h,000h ; b
        db      000h,000h,000h,000h,000h,07Ch,0C6h,0C0h,0C0h,0C6h,07Ch,000h,000h,000h ; c
        db      000h,000h,01Ch,00Ch,00Ch,03Ch,06Ch,0CCh,0CCh,0CCh,076h,000h,000h,000h ; d
        db      000h,000h,000h,000h,000h,07Ch,0C6h,0FEh,0C0h,0C6h,07Ch,000h,000h,000h ; e
        db      000h,000h,038h,06Ch,064h,060h,0F0h,060h,060h,060h,0F0h,000h,000h,000h ; f
        db      000h,000h,000h,000h,000h,076h,0CCh,0CCh,0CCh,07Ch,00Ch,0CCh,078h,000h ; g
        db      000h,000h,0E0h,060h,060h,06Ch,076h,066h,066h,066h,0E6h,000h,000h,000h ; h
        db      000h,000h,018h,018h,000h,038h,018h,018h,018h,018h,03Ch,000h,000h,000h ; i
        db      000h,000h,006h,006h,000h,00Eh,006h,006h,006h,006h,066h,066h,03Ch,000h ; j
        db      000h,000h,0E0h,060h,060h,066h,06Ch,078h,06Ch,066h,0E6h,000h,000h,000h ; k
        db      000h,000h,038h,018h,018h,018h,018h,018h,018h,018h,03Ch,000h,000h,000h ; l
        db      000h,000h,000h,000h,000h,0ECh,0FEh,0D6h,0D6h,0D6h,0C6h,000h,000h,000h ; m
        db      000h,000h,000h,000h,000h,0DCh,066h,066h,066h,066h,066h,000h,000h,000h ; n
        db      000h,000h,000h,000h,000h,07Ch,0C6h,0C6h,0C6h,0C6h,07Ch,000h,000h,000h ; o
        db      000h,000h,000h,000h,000h,0DCh,066h,066h,066h,07Ch,060h,060h,0F0h,000h ; p
        db      000h,000h,000h,000h,000h,076h,0CCh,0CCh,0CCh,07Ch,00Ch,00Ch,01Eh,000h ; q
        db      000h,000h,000h,000h,000h,0DCh,076h,066h,060h,060h,0F0h,000h,000h,000h ; r
        db      000h,000h,000h,000h,000h,07Ch,0C6h,070h,01Ch,0C6h,07Ch,000h,000h,000h ; s
        db      000h,000h,010h,030h,030h,0FCh,030h,030h,030h,036h,01Ch,000h,000h,000h ; t
        db      000h,000h,000h,000h,000h,0CCh,0CCh,0CCh,0CCh,0CCh,076h,000h,000h,000h ; u
        db      000h,000h,000h,000h,000h,066h,066h,066h,066h,03Ch,018h,000h,000h,000h ; v
        db      000h,000h,000h,000h,000h,0C6h,0C6h,0D6h,0D6h,0FEh,06Ch,000h,000h,000h ; w
        db      000h,000h,000h,000h,000h,0C6h,06Ch,038h,038h,06Ch,0C6h,000h,000h,000h ; x
        db      000h,000h,000h,000h,000h,0C6h,0C6h,0C6h,0C6h,07Eh,006h,00Ch,0F8h,000h ; y
        db      000h,000h,000h,000h,000h,0FEh,0CCh,018h,030h,066h,0FEh,000h,000h,000h ; z
        db      000h,000h,00Eh,018h,018h,018h,070h,018h,018h,018h,00Eh,000h,000h,000h ; {
        db      000h,000h,018h,018h,018h,018h,000h,018h,018h,018h,018h,000h,000h,000h ; |
        db      000h,000h,070h,018h,018h,018h,00Eh,018h,018h,018h,070h,000h,000h,000h ; }
        db      000h,000h,076h,0DCh,000h,000h,000h,000h,000h,000h,000h,000h,000h,000h ; ~

        end
