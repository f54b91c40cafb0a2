; Hostile: includes itself.
        include hostile03.asm
        end
