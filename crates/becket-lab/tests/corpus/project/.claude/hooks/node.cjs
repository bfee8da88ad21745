const call = JSON.parse(require('fs').readFileSync(0, 'utf8'));
if (JSON.stringify(call.tool_input).includes('echo-e')) { console.error('no echo-e'); process.exit(2); }
