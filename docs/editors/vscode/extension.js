// extension.js - starts `ptxas --lsp` for PTX files and leaves everything else to it.
"use strict";
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

async function start() {
    const settings = vscode.workspace.getConfiguration("ptx");
    const command = settings.get("server.path") || "ptxas";
    const server = { command, args: ["--lsp", ...settings.get("server.arguments", [])] };
    client = new LanguageClient("ptx", "PTX", server, { documentSelector: [{ language: "ptx" }] });
    try {
        await client.start();
    } catch (fault) {
        vscode.window.showErrorMessage(
            `PTX: "${command} --lsp" does not run (${fault.message}). ptx.server.path names the ptxas of ptxvm.`
        );
    }
}

async function stop() {
    const running = client;
    client = undefined;
    if (running && running.needsStop()) await running.stop();
}

async function restart() {
    await stop();
    await start();
}

async function activate(context) {
    context.subscriptions.push(
        vscode.commands.registerCommand("ptx.restart", restart),
        vscode.workspace.onDidChangeConfiguration((change) => {
            if (change.affectsConfiguration("ptx.server")) return restart();
        })
    );
    await start();
}

module.exports = { activate, deactivate: stop };
