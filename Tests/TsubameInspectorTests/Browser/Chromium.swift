// Chromium: a real browser without a window, driven over two pipes.

import Foundation
import Synchronization
import Testing
import TsubamePlatform

/// The browser reads commands from descriptor 3 and writes answers to descriptor 4, as texts that end with a zero
/// (Chrome DevTools Protocol, `--remote-debugging-pipe`).
final class Chromium: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    static let path = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    private struct State: Sendable {
        var next = 0
        var waiting: [Int: CheckedContinuation<Data, any Error>] = [:]
        var isOver = false
    }

    private let state = Mutex(State())
    private let folder: URL
    private let commands: Int32
    private let answers: Int32
    private let process = Process()

    init() throws {
        guard let path = Self.path else { throw Failure(description: "install a browser: apt-get install chromium") }
        let folder = FileManager.default.temporaryDirectory.appending(path: "tsubame-browser-\(UUID().uuidString)")
        self.folder = folder
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let pipes = ["commands", "answers"].map { folder.appending(path: $0).path }
        for pipe in pipes { guard mkfifo(pipe, 0o600) == 0 else { throw Failure(description: "no pipe: \(errno)") } }
        // Open for both, so that no end waits for the other.
        commands = SystemCall.open(pipes[0], O_RDWR | O_CLOEXEC)
        answers = SystemCall.open(pipes[1], O_RDWR | O_CLOEXEC)
        process.executableURL = URL(filePath: "/bin/sh")
        let line =
            "exec \"$0\" --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run "
            + "--disable-background-networking --window-size=1280,800 --user-data-dir=\"$1/profile\" "
            + "--remote-debugging-pipe about:blank 3<\"$1/commands\" 4>\"$1/answers\" >\"$1/log\" 2>&1"
        process.arguments = ["-c", line, path, folder.path]
        process.terminationHandler = { [weak self] _ in self?.end() }
        try process.run()
        let descriptor = answers
        Thread.detachNewThread { [weak self] in
            var message = Data()
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = buffer.withUnsafeMutableBytes { SystemCall.read(descriptor, into: $0) }
                guard count > 0 else { return }
                for part in buffer[..<count].split(separator: 0, omittingEmptySubsequences: false).enumerated() {
                    if part.offset > 0 {
                        guard let self else { return }
                        self.take(message)
                        message = Data()
                    }
                    message.append(contentsOf: part.element)
                }
            }
        }
    }

    private func end() {
        let waiting = state.withLock { state in
            state.isOver = true
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for continuation in waiting { continuation.resume(throwing: Failure(description: "the browser has ended")) }
    }

    private func take(_ message: Data) {
        guard let object = try? JSONSerialization.jsonObject(with: message) as? [String: Any],
            let id = object["id"] as? Int
        else { return }
        state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(returning: message)
    }

    /// Sends a command.
    /// - Returns: its result.
    func command(_ method: String, _ parameters: [String: Any] = [:], session: String? = nil) async throws -> [String:
        Any]
    {
        let id = state.withLock { state in
            state.next += 1
            return state.next
        }
        var object: [String: Any] = ["id": id, "method": method, "params": parameters]
        object["sessionId"] = session
        let bytes = try JSONSerialization.data(withJSONObject: object) + [0]
        // A page that does not answer must not outlast the test's time limit.
        let answer = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isOver = state.withLock { state in
                    if !state.isOver { state.waiting[id] = continuation }
                    return state.isOver
                }
                if isOver { return continuation.resume(throwing: Failure(description: "the browser has ended")) }
                let (_, error) = bytes.withUnsafeBytes { FileOutput.write($0, to: commands) }
                if error != 0 { end() }
            }
        } onCancel: {
            end()
        }
        let object2 = try JSONSerialization.jsonObject(with: answer) as? [String: Any] ?? [:]
        if let error = object2["error"] as? [String: Any] {
            throw Failure(description: "\(method): \(error["message"] ?? "failed")")
        }
        return object2["result"] as? [String: Any] ?? [:]
    }

    /// Opens a page in a tab of its own.
    func open(_ url: String) async throws -> Page {
        let target = try await command("Target.createTarget", ["url": url])["targetId"] as? String ?? ""
        let session = try await command("Target.attachToTarget", ["targetId": target, "flatten": true])["sessionId"]
        let page = Page(browser: self, session: session as? String ?? "")
        // A new tab shows an empty document first, and for a moment none.
        while (try? await page.value("document.readyState === 'complete' && location.href !== 'about:blank'")) != true {
            guard !state.withLock({ $0.isOver }) else { throw Failure(description: "the browser has ended") }
        }
        return page
    }

    func quit() async {
        _ = try? await command("Browser.close")
        process.waitUntilExit()
        // The reader of the answers ends with a last byte, since this process holds both ends.
        var zero: UInt8 = 0
        _ = withUnsafeBytes(of: &zero) { FileOutput.write($0, to: answers) }
        try? FileManager.default.removeItem(at: folder)
    }
}

/// A page in a tab.
struct Page: Sendable {
    let browser: Chromium
    let session: String

    /// The value of an expression. A promise is awaited.
    func value<Value>(_ expression: String, as type: Value.Type = Value.self) async throws -> Value {
        let result = try await browser.command(
            "Runtime.evaluate", ["expression": expression, "awaitPromise": true, "returnByValue": true],
            session: session)
        if let details = result["exceptionDetails"] as? [String: Any] {
            let exception = details["exception"] as? [String: Any]
            throw Chromium.Failure(description: "\(exception?["description"] ?? details["text"] ?? "failed")")
        }
        let value = (result["result"] as? [String: Any])?["value"]
        guard let value = value as? Value else {
            throw Chromium.Failure(description: "\(expression) is \(value.map { "\($0)" } ?? "nothing")")
        }
        return value
    }

    /// Waits until an expression is true. A timer asks, because a page behind another tab gets no frames.
    func wait(for expression: String) async throws {
        _ = try await value(
            """
            new Promise((resolve) => {
              const ask = () => { let is = false; try { is = \(expression) } catch {} is ? resolve(true) : setTimeout(ask, 10) };
              ask();
            })
            """, as: Bool.self)
    }

    /// Presses a key.
    func press(_ key: String) async throws {
        for type in ["keyDown", "keyUp"] {
            var parameters: [String: Any] = ["type": type, "key": key]
            if key.count == 1 { parameters["text"] = key }
            _ = try await browser.command("Input.dispatchKeyEvent", parameters, session: session)
        }
    }

    /// A picture of the page as a PNG.
    func picture() async throws -> Data {
        let result = try await browser.command("Page.captureScreenshot", ["format": "png"], session: session)
        return Data(base64Encoded: result["data"] as? String ?? "") ?? Data()
    }
}
