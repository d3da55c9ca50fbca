"""Serves a model with llama.cpp's own HTTP server on a free loopback port.

    python serve.py MODEL.gguf CHAT_TEMPLATE

Prints the port in one line, and ends when its standard input does, so that it never outlives the
test that started it.
"""

import os
import socket
import sys

import xllamacpp

model, template = sys.argv[1:]
with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    port = probe.getsockname()[1]

params = xllamacpp.CommonParams()
params.model.path = model
params.hostnames = ["127.0.0.1"]
params.port = port
params.n_ctx = 4096
params.n_parallel = 1
# Several threads wait for each other busily, which takes ten times as long on a busy machine.
params.cpuparams.n_threads = 1
params.cpuparams_batch.n_threads = 1
params.use_jinja = True
with open(template, encoding="utf-8") as file:
    params.chat_template = file.read()

server = xllamacpp.Server(params)
print(port, flush=True)
sys.stdin.read()
os._exit(0)
