\echo Use "CREATE EXTENSION txtfp_markup" to load this file. \quit
