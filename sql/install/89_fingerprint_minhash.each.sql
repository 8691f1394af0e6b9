@use fingerprint
@  TYPE = minhash@H@
@  COST = 25

