
  import { HookEngine } from "becket";
  const command = (line, more) => ({ hooks: { Stop: [{ hooks: [{ type: "command", command: line, ...more }] }] } });
  const made = (options = {}) => new HookEngine({ projectRoot: "/tmp/becket-test-xH36MC", settingSources: [], ...options });
  const sleeping = (file, more) => command(`echo $$ > ${file}; exec sleep 60`, more);
  const stop = { stop_hook_active: false };

      import { parentPort } from "node:worker_threads";
      const one = made({ settings: sleeping(""/tmp/becket-test-xH36MC/worker"") });
      one.hook("UserPromptSubmit", async (input) => ({ decision: "block", reason: input.prompt }));
      const said = await Promise.all(["a", "b"].map((prompt) => one.runEvent("UserPromptSubmit", { prompt })));
      parentPort.postMessage(said.map((outcome) => outcome.reason).join());
      one.runEvent("Stop", stop).catch(() => {});
    