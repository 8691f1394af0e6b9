\echo Use "CREATE EXTENSION txtfp_cjk" to load this file. \quit
