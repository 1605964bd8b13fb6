"""A client of the Language Server Protocol for tests: sends what it is told, and checks the framing of
all that comes back."""
import json
import os
import select
import subprocess

PTXAS = os.path.abspath(os.path.join(os.environ.get("BUILD", "build"), "bin", "ptxas"))
TIME_LIMIT = 120


class Client:
    def __init__(self, *options):
        self.process = subprocess.Popen(
            [PTXAS, "--lsp", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
        )
        self.buffer = b""
        self.number = 0
        self.diagnostics = {}  # by URI, the last ones published

    def send_bytes(self, data):
        self.process.stdin.write(data)

    def send(self, message):
        body = json.dumps(message).encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def notify(self, method, **params):
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def read_some(self):
        if not select.select([self.process.stdout], [], [], TIME_LIMIT)[0]:
            raise TimeoutError("no answer")
        data = os.read(self.process.stdout.fileno(), 1 << 16)
        if not data:
            raise EOFError("the server ended")
        self.buffer += data

    def receive(self):
        """The next message; diagnostics are noted, too."""
        while b"\r\n\r\n" not in self.buffer:
            self.read_some()
        header, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
        name, value = header.split(b": ")
        assert name == b"Content-Length", header
        while len(self.buffer) < int(value):
            self.read_some()
        body, self.buffer = self.buffer[: int(value)], self.buffer[int(value) :]
        message = json.loads(body)
        assert message["jsonrpc"] == "2.0", message
        if message.get("method") == "textDocument/publishDiagnostics":
            self.diagnostics[message["params"]["uri"]] = message["params"]
        return message

    def request(self, method, **params):
        """The whole answer to a request."""
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        while True:
            message = self.receive()
            if message.get("id") == self.number:
                return message

    def ask(self, method, **params):
        """The result of a request."""
        answer = self.request(method, **params)
        assert "error" not in answer, answer
        return answer["result"]

    def start(self, **capabilities):
        result = self.ask("initialize", processId=None, rootUri=None, capabilities=capabilities)
        self.notify("initialized")
        return result

    def open(self, uri, text, version=1):
        self.notify(
            "textDocument/didOpen",
            textDocument={"uri": uri, "languageId": "ptx", "version": version, "text": text},
        )

    def wait_for_diagnostics(self, uri, version):
        while self.diagnostics.get(uri, {}).get("version") != version:
            self.receive()
        return self.diagnostics[uri]["diagnostics"]

    def at(self, method, uri, line, character, **more):
        return self.ask(
            "textDocument/" + method,
            textDocument={"uri": uri},
            position={"line": line, "character": character},
            **more,
        )

    def stop(self):
        """Orderly; the exit code."""
        self.ask("shutdown")
        self.notify("exit")
        return self.process.wait(TIME_LIMIT)
