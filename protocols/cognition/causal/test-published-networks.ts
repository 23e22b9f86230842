// Three small networks from the literature, as published, for tests and benchmarks.

/** Lauritzen and Spiegelhalter 1988: chest clinic. */
export const asia_bif = `network unknown {
}
variable asia { type discrete [ 2 ] { yes, no }; }
variable tub { type discrete [ 2 ] { yes, no }; }
variable smoke { type discrete [ 2 ] { yes, no }; }
variable lung { type discrete [ 2 ] { yes, no }; }
variable bronc { type discrete [ 2 ] { yes, no }; }
variable either { type discrete [ 2 ] { yes, no }; }
variable xray { type discrete [ 2 ] { yes, no }; }
variable dysp { type discrete [ 2 ] { yes, no }; }
probability ( asia ) { table 0.01, 0.99; }
probability ( tub | asia ) { (yes) 0.05, 0.95; (no) 0.01, 0.99; }
probability ( smoke ) { table 0.5, 0.5; }
probability ( lung | smoke ) { (yes) 0.1, 0.9; (no) 0.01, 0.99; }
probability ( bronc | smoke ) { (yes) 0.6, 0.4; (no) 0.3, 0.7; }
probability ( either | lung, tub ) {
  (yes, yes) 1.0, 0.0;
  (no, yes) 1.0, 0.0;
  (yes, no) 1.0, 0.0;
  (no, no) 0.0, 1.0;
}
probability ( xray | either ) { (yes) 0.98, 0.02; (no) 0.05, 0.95; }
probability ( dysp | bronc, either ) {
  (yes, yes) 0.9, 0.1;
  (no, yes) 0.7, 0.3;
  (yes, no) 0.8, 0.2;
  (no, no) 0.1, 0.9;
}
`

/** Korb and Nicholson 2010. */
export const cancer_bif = `network unknown {
}
variable Pollution { type discrete [ 2 ] { low, high }; }
variable Smoker { type discrete [ 2 ] { True, False }; }
variable Cancer { type discrete [ 2 ] { True, False }; }
variable Xray { type discrete [ 2 ] { positive, negative }; }
variable Dyspnoea { type discrete [ 2 ] { True, False }; }
probability ( Pollution ) { table 0.9, 0.1; }
probability ( Smoker ) { table 0.3, 0.7; }
probability ( Cancer | Pollution, Smoker ) {
  (low, True) 0.03, 0.97;
  (high, True) 0.05, 0.95;
  (low, False) 0.001, 0.999;
  (high, False) 0.02, 0.98;
}
probability ( Xray | Cancer ) { (True) 0.9, 0.1; (False) 0.2, 0.8; }
probability ( Dyspnoea | Cancer ) { (True) 0.65, 0.35; (False) 0.3, 0.7; }
`

/** Korb and Nicholson 2010, after Pearl 1988. */
export const earthquake_bif = `network unknown {
}
variable Burglary { type discrete [ 2 ] { True, False }; }
variable Earthquake { type discrete [ 2 ] { True, False }; }
variable Alarm { type discrete [ 2 ] { True, False }; }
variable JohnCalls { type discrete [ 2 ] { True, False }; }
variable MaryCalls { type discrete [ 2 ] { True, False }; }
probability ( Burglary ) { table 0.01, 0.99; }
probability ( Earthquake ) { table 0.02, 0.98; }
probability ( Alarm | Burglary, Earthquake ) {
  (True, True) 0.95, 0.05;
  (False, True) 0.29, 0.71;
  (True, False) 0.94, 0.06;
  (False, False) 0.001, 0.999;
}
probability ( JohnCalls | Alarm ) { (True) 0.9, 0.1; (False) 0.05, 0.95; }
probability ( MaryCalls | Alarm ) { (True) 0.7, 0.3; (False) 0.01, 0.99; }
`
