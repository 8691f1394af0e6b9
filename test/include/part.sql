-- :part divides what only the long run does as a whole.
\getenv long TXTFP_LONG
\if :{?long}
\set part 1
\else
\set part 2
\endif
