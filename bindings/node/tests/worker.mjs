/** The worker of `ending.test.mjs`. */

import { parentPort, workerData } from "node:worker_threads";
import { HookEngine } from "becket";

const hook = { type: "command", command: `echo $$ > ${workerData.file}; exec sleep 60`, timeout: 60 };
const engine = new HookEngine({ projectRoot: workerData.dir, settingSources: [], settings: { hooks: { Stop: [{ hooks: [hook] }] } } });
engine.hook("UserPromptSubmit", async (input) => ({ decision: "block", reason: input.prompt }));
const said = await Promise.all(["a", "b"].map((prompt) => engine.runEvent("UserPromptSubmit", { prompt })));
parentPort.postMessage(said.map((outcome) => outcome.reason).join());
engine.runEvent("Stop", { stop_hook_active: false }).catch(() => {});
