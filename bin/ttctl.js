#!/usr/bin/env node
// Plain old JavaScript: it has to run, and speak, on a Node that is too old for the rest.
'use strict';
var version = process.versions.node.split('.').map(Number);
var tooOld =
  version[0] < 20 || (version[0] === 20 && (version[1] < 18 || (version[1] === 18 && version[2] < 1)));
if (tooOld) {
  process.stderr.write(
    // biome-ignore lint/style/useTemplate: old Node knows no templates
    'error: ttctl needs Node.js 20.18.1 or later; this is ' + process.versions.node + '.\n',
  );
  process.exitCode = 1;
} else {
  // What shells ask at every press of a key is answered with the least there is to load.
  require(process.argv[2] === '__complete' ? '../dist/complete.cjs' : '../dist/entry.cjs');
}
