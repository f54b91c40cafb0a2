/* Six kernels in C, to compare the speed of translated code with that of a compiler:
   native KERNEL TURNS. The result is that of the kernel with the same name. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The compiler must not assume that a turn repeats the one before. */
#define NEXT_TURN __asm__ volatile("" ::: "memory")

static uint8_t flags[8191];

static uint16_t sieve(long turns)
{
    uint16_t count = 0;
    while (turns-- > 0) {
        NEXT_TURN;
        count = 0;
        memset(flags, 1, sizeof flags);
        for (unsigned i = 0; i < sizeof flags; i++) {
            if (!flags[i])
                continue;
            unsigned prime = 2 * i + 3;
            for (unsigned k = i + prime; k < sizeof flags; k += prime)
                flags[k] = 0;
            count++;
        }
    }
    return count;
}

static __attribute__((noinline)) uint16_t fib_of(uint16_t n)
{
    return n < 2 ? n : (uint16_t)(fib_of(n - 1) + fib_of(n - 2));
}

static uint16_t fib(long turns)
{
    uint16_t result = 0;
    while (turns-- > 0) {
        NEXT_TURN;
        result = fib_of(24);
    }
    return result;
}

static uint16_t crc(long turns)
{
    static uint8_t buffer[4096];
    uint32_t sum = UINT32_MAX;
    for (unsigned i = 0; i < sizeof buffer; i++)
        buffer[i] = (uint8_t)(1 + 7 * i);
    while (turns-- > 0) {
        NEXT_TURN;
        for (unsigned i = 0; i < sizeof buffer; i++) {
            sum ^= buffer[i];
            for (int bit = 0; bit < 8; bit++)
                sum = sum & 1 ? sum >> 1 ^ 0xEDB88320u : sum >> 1;
        }
    }
    return (uint16_t)sum;
}

static uint8_t board[9];
static uint16_t games;

static int has_won(uint8_t player)
{
    static const uint8_t lines[8][3] = {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6},
                                        {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {2, 4, 6}};
    for (int i = 0; i < 8; i++)
        if (board[lines[i][0]] == player && board[lines[i][1]] == player && board[lines[i][2]] == player)
            return 1;
    return 0;
}

static void play(uint8_t player, int marks)
{
    for (int square = 0; square < 9; square++) {
        if (board[square])
            continue;
        board[square] = player;
        if (has_won(player) || marks == 8)
            games++;
        else
            play(player ^ 3, marks + 1);
        board[square] = 0;
    }
}

static uint16_t tree(long turns)
{
    while (turns-- > 0) {
        NEXT_TURN;
        games = 0;
        play(1, 0);
    }
    return games;
}

static uint16_t sort(long turns)
{
    static int16_t list[256];
    while (turns-- > 0) {
        NEXT_TURN;
        uint16_t number = 12345;
        for (int i = 0; i < 256; i++) {
            list[i] = (int16_t)number;
            number = (uint16_t)(25173u * number + 13849u);
        }
        for (int left = 255; left > 0; left--)
            for (int i = 0; i < left; i++)
                if (list[i] > list[i + 1]) {
                    int16_t greater = list[i];
                    list[i] = list[i + 1];
                    list[i + 1] = greater;
                }
    }
    return (uint16_t)list[100];
}

static uint16_t mandel(long turns)
{
    uint16_t sum = 0;
    while (turns-- > 0) {
        NEXT_TURN;
        for (int y = 0; y < 100; y++)
            for (int x = 0; x < 160; x++) {
                double re = (double)(x * (long double)0.02 - 2.0L), im = (double)(y * (long double)0.02 - 1.0L);
                long double a = 0, b = 0;
                int left = 100;
                while (left > 0 && a * a + b * b <= 4.0L) {
                    long double next = a * a - b * b + re;
                    b = a * b + a * b + im;
                    a = next;
                    left--;
                }
                sum += left;
            }
    }
    return sum;
}

int main(int count, char **arguments)
{
    static const struct {
        const char *name;
        uint16_t (*run)(long turns);
    } kernels[] = {{"sieve", sieve}, {"fib", fib}, {"crc", crc}, {"tree", tree}, {"sort", sort}, {"mandel", mandel}};
    for (unsigned i = 0; count == 3 && i < sizeof kernels / sizeof *kernels; i++)
        if (!strcmp(arguments[1], kernels[i].name))
            return printf("%04X\n", kernels[i].run(atol(arguments[2]))) < 0;
    fprintf(stderr, "usage: native sieve|fib|crc|tree|sort|mandel TURNS\n");
    return 2;
}
