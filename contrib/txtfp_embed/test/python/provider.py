#!/usr/bin/env python3
"""Plays OpenAI, Voyage and Cohere, and their failures, at 127.0.0.1.

    provider.py LOG        prints the port; writes one JSON object for each request to LOG

What goes wrong is in the base URL: /PLAN/v1/…, PLAN a list of steps joined by commas, one for each request to that PLAN, the last
one for all further ones. A step: ok, bad (401), 429, 429-N (with Retry-After N), 500, cut (truncated JSON), shape (no array), slow (a body
that takes its time), short (one vector too few), dim (another dimension), reset, text (no number), wait (a second before the answer),
poison (422 if a text has the word poison), or flaky (poison, but each fortieth request is answered with 500). The vector of a text: 8 numbers from its MD5.
"""
import hashlib
import json
import socket
import struct
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

lock = threading.Lock()
counts = {}


def vector(text):
    digest = hashlib.md5(text.encode()).digest()
    return [byte / 256 - 0.5 for byte in digest[:8]]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *arguments):
        pass

    def answer(self, status, body, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        plan = self.path.split("/")[1]
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with lock:
            number = counts[plan] = counts.get(plan, 0) + 1
            log.write(json.dumps({"time": time.time(), "path": self.path, "body": body, "key": self.headers["Authorization"]}) + "\n")
            log.flush()
        steps = plan.split(",")
        step = steps[min(number, len(steps)) - 1]
        if step == "flaky":
            step = "500" if number % 40 == 0 else "poison"
        self.play(step, body)

    def play(self, step, body):
        texts = body.get("input", body.get("texts"))
        vectors = [vector(text) for text in texts]
        if step == "short":
            vectors = vectors[1:]
        if step == "dim":
            vectors = [v[:5] for v in vectors]
        if step == "text":
            vectors[0][3] = "0.5"
        if self.path.endswith("/embed"):
            whole = {"embeddings": vectors}
        else:
            whole = {"data": [{"index": i, "embedding": v} for i, v in enumerate(vectors)], "model": body["model"]}
        data = json.dumps(whole).encode()
        if step == "bad":
            self.answer(401, b'{"error": "wrong key: ' + self.headers["Authorization"].encode() + b'"}')
        elif step.startswith("429-"):
            self.answer(429, b"{}", Retry_After=step[4:])
        elif step in ("429", "500"):
            self.answer(int(step), b"{}")
        elif step == "cut":
            self.answer(200, data[:len(data) // 2])
        elif step == "shape":
            self.answer(200, b'{"something": "else"}')
        elif step == "poison" and any("poison" in text for text in texts):
            self.answer(422, b"{}")
        elif step == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
            self.close_connection = True
        elif step == "slow":
            self.send_response(200)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            try:
                for byte in data:
                    self.wfile.write(bytes([byte]))
                    time.sleep(0.1)
            except OSError:
                pass
        else:
            if step == "wait":
                time.sleep(1)
            self.answer(200, data)


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, *arguments):  # a connection that we reset ourselves
        pass


log = open(sys.argv[1], "a")
server = Server(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
threading.Thread(target=lambda: (sys.stdin.read(), server.shutdown()), daemon=True).start()
server.serve_forever()
