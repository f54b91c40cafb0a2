// The oxbox extension: starts `oxbox dap` for the debugger, and tasks that build and run.
"use strict";
const vscode = require("vscode");

const oxbox = () => vscode.workspace.getConfiguration("oxbox").get("path", "oxbox");

/** A task that runs oxbox with these arguments. */
function task(name, args, matchers) {
  const execution = new vscode.ProcessExecution(oxbox(), args);
  const definition = { type: "oxbox", file: args[args.length - 1] };
  const made = new vscode.Task(definition, vscode.TaskScope.Workspace, name, "oxbox", execution, matchers);
  made.presentationOptions = { clear: true };
  return made;
}

/** The file of the active editor, saved. */
async function activeFile() {
  const editor = vscode.window.activeTextEditor;
  if (!editor) {
    vscode.window.showErrorMessage("oxbox: open an assembly source first");
    return undefined;
  }
  await editor.document.save();
  return editor.document.fileName;
}

function activate(context) {
  const command = (name, action) =>
    context.subscriptions.push(
      vscode.commands.registerCommand(name, async () => {
        const file = await activeFile();
        if (file) await action(file);
      })
    );
  command("oxbox.build", (file) =>
    vscode.tasks.executeTask(task("build", ["build", file, "-o", file.replace(/\.[^.\/\\]*$/, ".exe")], ["$oxbox"]))
  );
  command("oxbox.run", (file) => vscode.tasks.executeTask(task("run", ["run", file], ["$oxbox"])));
  command("oxbox.debug", (file) =>
    vscode.debug.startDebugging(undefined, {
      type: "oxbox", request: "launch", name: "Debug this file", program: file, stopOnEntry: true,
    })
  );
  context.subscriptions.push(
    vscode.debug.registerDebugAdapterDescriptorFactory("oxbox", {
      createDebugAdapterDescriptor: () => new vscode.DebugAdapterExecutable(oxbox(), ["dap"]),
    }),
    vscode.debug.registerDebugConfigurationProvider("oxbox", {
      resolveDebugConfiguration: (_, configuration) =>
        configuration.type
          ? configuration
          : { type: "oxbox", request: "launch", name: "Debug this file", program: "${file}", stopOnEntry: true },
    }),
    vscode.tasks.registerTaskProvider("oxbox", {
      provideTasks: () => [],
      resolveTask: (asked) => task(asked.name, ["build", asked.definition.file], ["$oxbox"]),
    })
  );
}

module.exports = { activate, deactivate: () => {} };
