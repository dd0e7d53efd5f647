#!/usr/bin/env node
// biome-ignore-all lint/style/useTemplate: old Node knows no templates
// Plain old JavaScript: it has to run, and speak, on a Node that is too old for the rest.

var version = process.versions.node.split('.').map(Number);
var tooOld =
  version[0] < 20 || (version[0] === 20 && (version[1] < 18 || (version[1] === 18 && version[2] < 1)));
// What shells ask at every press of a key is answered with the least there is to load.
var completes = process.argv[2] === '__complete';

// In a clone whose scripts were not run by `npm ci`. A fault of the program itself is thrown again.
function explainMissingBuild(fault) {
  var exists = require('node:fs').existsSync;
  var root = require('node:path').join(__dirname, '..');
  var next = exists(root + '/node_modules') ? 'npm run build' : 'npm ci';
  if (exists(root + '/dist')) throw fault;
  if (!completes) process.stderr.write('error: ttctl is not built yet. Run "' + next + '" in ' + root + '\n');
  process.exitCode = 1;
}

if (tooOld) {
  process.stderr.write(
    'error: ttctl needs Node.js 20.18.1 or later; this is ' + process.versions.node + '.\n',
  );
  process.exitCode = 1;
} else {
  try {
    require(completes ? '../dist/complete.cjs' : '../dist/entry.cjs');
  } catch (fault) {
    explainMissingBuild(fault);
  }
}
