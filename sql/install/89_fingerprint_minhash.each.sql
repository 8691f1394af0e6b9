@use fingerprint
@  TYPE = minhash@H@
@  COST = 25

@use fingerprint
@  TYPE = minhash@H@_compact
@  COST = 10
