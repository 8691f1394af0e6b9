\echo Use "CREATE EXTENSION txtfp_embed" to load this file. \quit
