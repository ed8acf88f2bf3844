# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium, spoken to through a pair of pipes (its remote debugging protocol)."""

import base64
import json
import os
import pathlib
import select
import subprocess
import tempfile
import time


class Chromium:
    """One browser with one page."""

    def __init__(self, width=1280, height=900, timeout=120):
        self.timeout, self.last_id, self.waiting = timeout, 0, b""
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        theirs_in, self.to_browser = os.pipe()
        self.from_browser, theirs_out = os.pipe()
        command = [os.environ.get("CHROMIUM", "chromium"), "--headless=new", "--remote-debugging-pipe", "--disable-gpu", "--no-first-run",
                   "--disable-dev-shm-usage", "--hide-scrollbars", f"--user-data-dir={self.profile.name}",
                   f"--window-size={width},{height}"]
        if os.geteuid() == 0:
            command.append("--no-sandbox")  # it refuses to start as root otherwise
        # The browser reads descriptor 3 and writes 4.
        wired = f'exec "$@" 3<&{theirs_in} 4>&{theirs_out}'
        self.process = subprocess.Popen(["bash", "-c", wired, "bash", *command, "about:blank"],
                                        pass_fds=(theirs_in, theirs_out), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self.session = None
        pages = (target for target in self.ask("Target.getTargets")["targetInfos"] if target["type"] == "page")
        self.session = self.ask("Target.attachToTarget", targetId=next(pages)["targetId"], flatten=True)["sessionId"]
        self.ask("Page.enable")
        self.ask("Page.addScriptToEvaluateOnNewDocument",
                 source="window.errors = []; addEventListener('error', e => errors.push(e.message))")
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                 mobile=width < 600)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.session = None
            self.ask("Browser.close")
        except (OSError, EOFError, TimeoutError):
            self.process.kill()
        self.process.wait()
        os.close(self.to_browser)
        os.close(self.from_browser)
        self.profile.cleanup()

    def message(self, end):
        while b"\0" not in self.waiting:
            if not select.select([self.from_browser], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError(f"no answer from the browser within {self.timeout} s")
            part = os.read(self.from_browser, 1 << 20)
            if not part:
                raise EOFError("the browser has ended")
            self.waiting += part
        text, _, self.waiting = self.waiting.partition(b"\0")
        return json.loads(text)

    def ask(self, method, **parameters):
        self.last_id += 1
        request = {"id": self.last_id, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.to_browser, json.dumps(request).encode() + b"\0")
        end = time.monotonic() + self.timeout
        while True:
            answer = self.message(end)
            if answer.get("id") == self.last_id:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def theme(self, name):
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def scripts(self, allowed):
        self.ask("Emulation.setScriptExecutionDisabled", value=not allowed)

    def open(self, path):
        """Until the page's load event. `errors` of the page then holds what its scripts threw."""
        self.ask("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        end = time.monotonic() + self.timeout
        while self.message(end).get("method") != "Page.loadEventFired":
            pass

    def evaluate(self, expression):
        """The value of a JavaScript expression, waited for where it is a promise."""
        answer = self.ask("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", expression))
        return answer["result"].get("value")

    def screenshot(self, path):
        image = self.ask("Page.captureScreenshot", format="png")["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(image))
