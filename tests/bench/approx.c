/* approx.c - nbody and blackscholes in double precision, with a bound for what float arithmetic may differ.
 *
 * The two kernels use rsqrt.approx, ex2.approx and lg2.approx, whose results the manual bounds but does not
 * define. The bound here is a running error analysis: each value is carried with the most that the kernel's
 * float value may differ from it. A correctly rounded operation adds U times its result; an .approx operation
 * adds APPROX instead of U. Editions of the manual give 2^-22.9 .. 2^-22 for rsqrt, 2^-22.5 .. 2^-22 for ex2,
 * and for lg2 2^-22 absolute between 0.5 and 2, relative elsewhere; the largest is taken for all. A double's
 * own rounding is 2^29 times smaller than U; SLACK covers that, second-order terms and subnormals. */
#include "reference.h"

#include <math.h>

static const double U = 0x1p-24;      /* half a unit in the last place, relative */
static const double APPROX = 0x1p-22; /* of the .approx instructions */
static const double SLACK = 1.001;

typedef struct {
    double value; /* in exact arithmetic */
    double error; /* |float value - value| is at most this */
} bounded;

/* ---- arithmetic on bounded values ---- */

/* A result whose operands' errors make it differ by up to `inherited`, rounded to float. */
static bounded rounded(double value, double inherited)
{
    return (bounded){value, SLACK * (inherited + U * (fabs(value) + inherited))};
}

static bounded exactly(float value)
{
    return (bounded){(double)value, 0};
}

static bounded add(bounded a, bounded b)
{
    return rounded(a.value + b.value, a.error + b.error);
}

static bounded negate(bounded a)
{
    return (bounded){-a.value, a.error};
}

static bounded subtract(bounded a, bounded b)
{
    return add(a, negate(b));
}

static double product_error(bounded a, bounded b)
{
    return fabs(a.value) * b.error + fabs(b.value) * a.error + a.error * b.error;
}

static bounded multiply(bounded a, bounded b)
{
    return rounded(a.value * b.value, product_error(a, b));
}

static bounded fused(bounded a, bounded b, bounded c)
{
    return rounded(a.value * b.value + c.value, product_error(a, b) + c.error);
}

static bounded divide(bounded a, bounded b)
{
    const double quotient = a.value / b.value;
    return rounded(quotient, (a.error + fabs(quotient) * b.error) / (fabs(b.value) - b.error));
}

/* The slope of a square root is steepest at the low end of the operand. */
static bounded square_root(bounded a)
{
    return rounded(sqrt(a.value), a.error / (2 * sqrt(a.value - a.error)));
}

static bounded absolute(bounded a)
{
    return (bounded){fabs(a.value), a.error};
}

static bounded exp2_approx(bounded a)
{
    const double value = exp2(a.value), inherited = value * (exp2(a.error) - 1);
    return (bounded){value, SLACK * (inherited + APPROX * (value + inherited))};
}

static bounded log2_approx(bounded a)
{
    const double value = log2(a.value);
    return (bounded){value,
                     SLACK * (a.error / ((a.value - a.error) * log(2)) + APPROX * fmax(1, fabs(value)))};
}

/* 1 - c if d > 0, else c; either, if the float d may have the other sign. */
static bounded reflect_if_positive(bounded d, bounded c)
{
    bounded result = d.value > 0 ? subtract(exactly(1.0f), c) : c;
    if (fabs(d.value) <= d.error) result.error += fabs(1 - 2 * c.value);
    return result;
}

static void store(struct bench_arg *output, size_t i, bounded a)
{
    ((double *)output->expected)[i] = a.value;
    output->tolerance[i] = a.error;
}

/* ---- nbody ---- */

/* The float value of one term is within TERM of the exact one, relative. In units of U, to first order: a
 * difference of coordinates 1; the squared distance, a sum of positive terms by three fmas, 2 + 3; its root's
 * reciprocal half of that and APPROX (4 U): 6.5; cubed, times the mass, by three multiplications: 3 * 6.5 + 3
 * = 22.5; times the difference, 23.5. */
static const double TERM = 23.5 * 0x1p-24 * 1.001;

static void add_term(bounded *sum, double term)
{
    sum->value += term;
    sum->error += TERM * fabs(term);
    sum->error += U * (fabs(sum->value) + sum->error) * SLACK;
}

void bench_nbody(struct bench_workload *w)
{
    const float(*bodies)[4] = w->args[0].data;
    const size_t n = w->args[0].count / 4;
    for (size_t i = 0; i < n; i++) {
        bounded sum[3] = {{0, 0}, {0, 0}, {0, 0}};
        for (size_t j = 0; j < n; j++) {
            double d[3], square = (double)1e-4f;
            for (int k = 0; k < 3; k++) {
                d[k] = (double)bodies[j][k] - (double)bodies[i][k];
                square += d[k] * d[k];
            }
            const double force = (double)bodies[j][3] / (square * sqrt(square));
            for (int k = 0; k < 3; k++) add_term(&sum[k], force * d[k]);
        }
        for (size_t k = 0; k < 3; k++) store(&w->args[1], 3 * i + k, sum[k]);
    }
}

/* ---- blackscholes ---- */

/* The cumulative normal distribution by a polynomial in k = 1 / (1 + 0.2316419 |d|). */
static bounded cumulative_normal(bounded d)
{
    static const float coefficients[5] = {1.330274429f, -1.821255978f, 1.781477937f, -0.356563782f,
                                          0.31938153f};
    const bounded one = exactly(1.0f);
    const bounded k = divide(one, fused(absolute(d), exactly(0.2316419f), one));
    bounded p = multiply(k, exactly(coefficients[0]));
    for (int i = 1; i < 5; i++) p = multiply(k, add(p, exactly(coefficients[i])));
    const bounded exponent = multiply(multiply(d, multiply(d, exactly(-0.5f))), exactly(1.44269504f));
    const bounded density = multiply(exp2_approx(exponent), exactly(0.39894228f));
    return reflect_if_positive(d, multiply(density, p));
}

struct option {
    bounded call, put;
};

static struct option price(float stock, float strike, float years)
{
    const bounded s = exactly(stock), x = exactly(strike), t = exactly(years), one = exactly(1.0f);
    const bounded logarithm = multiply(log2_approx(divide(s, x)), exactly(0x1.62e430p-1f));
    const bounded drift = multiply(t, exactly(0x1.0a3d70p-4f)); /* 0f3D851EB8, 0.02 + 0.5*0.09 */
    const bounded deviation = multiply(square_root(t), exactly(0.3f));
    const bounded d1 = divide(add(drift, logarithm), deviation), d2 = subtract(d1, deviation);
    const bounded c1 = cumulative_normal(d1), c2 = cumulative_normal(d2);
    const bounded discount = exp2_approx(multiply(multiply(t, exactly(-0.02f)), exactly(1.44269504f)));
    const bounded present = multiply(x, discount);
    return (struct option){subtract(multiply(s, c1), multiply(present, c2)),
                           subtract(multiply(present, subtract(one, c2)), multiply(s, subtract(one, c1)))};
}

void bench_blackscholes(struct bench_workload *w)
{
    const float *stock = w->args[0].data, *strike = w->args[1].data, *years = w->args[2].data;
    for (size_t i = 0; i < w->args[3].count; i++) {
        const struct option o = price(stock[i], strike[i], years[i]);
        store(&w->args[3], i, o.call);
        store(&w->args[4], i, o.put);
    }
}
