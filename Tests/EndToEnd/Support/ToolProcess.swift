// ToolProcess: runs `tsubame` with particular standard streams: open pipes, terminals, files.
#if Server
import Foundation
import Synchronization

/// A running `tsubame`. It is ended when this object is released, or when the task that waits for it is cancelled.
final class ToolProcess: Sendable {
    enum Input {
        /// An empty input, `/dev/null`.
        case null
        /// No input at all.
        case closed
        /// A pipe with these bytes, and then its end.
        case pipe([UInt8])
        /// A pipe that gives no bytes and stays open while the tool runs.
        case silentPipe
        /// A regular file, read from an offset.
        case file(URL, offset: Int = 0)
        /// A terminal at which this text is typed; no more input follows.
        case terminal(String = "")
    }

    enum Output {
        /// A pipe that is read to its end.
        case pipe
        /// A terminal with 80 columns.
        case terminal
        /// A terminal for standard output and standard error, as for a user.
        case wholeTerminal
        /// A pipe whose reading end is closed.
        case closedPipe
        /// A file that is made anew.
        case file(URL)
    }

    /// The ends of its streams that are open on this side.
    private struct Ends: Sendable {
        /// The reading end of its standard output; nil if it is closed.
        var output: Int32?
        var errors: Int32?
        /// The writing end of its input, while the input must stay open.
        var held: Int32?
    }

    private let child: ChildProcess
    private let ends: Mutex<Ends>

    /// Environment variables that would change the tool's output.
    private static let tastes = [
        "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLORFGBG", "COLUMNS", "TMUX", "STY", "TERM_PROGRAM", "LC_TERMINAL",
        "KITTY_WINDOW_ID", "KONSOLE_VERSION", "LC_ALL", "LC_CTYPE", "LANG",
    ]

    /// - Parameters:
    ///   - environment: variables that are added to those of these tests, without variables about terminals. Default
    ///     options of the user who runs the tests are not read, unless a folder for them is named here.
    ///   - directory: the working directory of the tool.
    ///   - asks: whether the tool can ask at its terminal, if its output is one; otherwise it has no terminal to ask
    ///     at.
    init(
        _ arguments: [String], input: Input = .null, output: Output = .pipe, environment: [String: String] = [:],
        directory: URL? = nil, asks: Bool? = nil
    ) throws {
        var variables = ProductEnvironment.standard.filter { !Self.tastes.contains($0.key) }
        variables["TERM"] = "dumb"
        variables.merge(environment) { $1 }
        let path = try BuiltProducts.url(of: "tsubame").path
        let (stdin, held) = try Self.open(input)
        let (stdout, read) = try Self.open(output)
        let errors = try ProcessPipe()
        defer { for descriptor in [stdin, stdout, errors.write] { descriptor.map { _ = close($0) } } }
        do {
            var terminal = asks == nil ? ChildProcess.Terminal.inherited : .none
            if asks == true, let name = ttyname(stdout) { terminal = .named(String(cString: name)) }
            var stderr = errors.write
            if case .wholeTerminal = output { stderr = stdout }
            child = try ChildProcess(
                path, arguments, streams: [stdin, stdout, stderr], environment: variables, directory: directory?.path,
                terminal: terminal)
        } catch {
            for descriptor in [read, errors.read, held] { descriptor.map { _ = close($0) } }
            throw error
        }
        ends = Mutex(Ends(output: read, errors: errors.read, held: held))
    }

    deinit {
        // The process ends before its pipes are closed, so that it does not see them close.
        end()
        _ = child.collect()
        let ends = ends.withLock { $0 }
        for descriptor in [ends.output, ends.errors, ends.held] { descriptor.map { _ = close($0) } }
    }

    /// The peak memory of the process in bytes, on Linux only. (`ru_maxrss` starts with the value of the parent
    /// process.)
    var peakMemory: Int? {
        guard let text = try? String(contentsOfFile: "/proc/\(child.pid)/status", encoding: .utf8),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
            let kibibytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) })
        else { return nil }
        return kibibytes << 10
    }

    func send(signal: Int32) { child.send(signal: signal) }

    func end() { send(signal: SIGKILL) }

    /// Writes a short text into the silent pipe.
    func give(_ text: String) {
        if let held = ends.withLock({ $0.held }) { Self.write(Array(text.utf8)[...], to: held) }
    }

    /// Waits for the end of the output and of the process.
    func finished() async throws -> ProductRun {
        let run = await waiting { self.collect() }
        try Task.checkCancellation()
        return run
    }

    /// The first line of its standard error. Call it before `finished()`.
    func firstErrorLine() async throws -> String {
        await waiting {
            guard let errors = self.ends.withLock({ $0.errors }) else { return "" }
            var line: [UInt8] = []
            var byte: UInt8 = 0
            while Foundation.read(errors, &byte, 1) == 1, byte != 0x0A { line.append(byte) }
            return String(decoding: line, as: UTF8.self)
        }
    }

    /// Waits until the tool has printed this text. Call it before `finished()`.
    /// - Returns: all output up to that point.
    func printed(_ text: String) async throws -> String {
        let shown = await waiting {
            guard let output = self.ends.withLock({ $0.output }) else { return "" }
            var shown: [UInt8] = []
            var byte: UInt8 = 0
            let wanted = Array(text.utf8)
            while shown.suffix(wanted.count) != wanted[...], Foundation.read(output, &byte, 1) == 1 {
                shown.append(byte)
            }
            return String(decoding: shown, as: UTF8.self)
        }
        guard shown.hasSuffix(text) else { throw ProductError("it does not print “\(text)”: \(shown)") }
        return shown
    }

    /// Whether the terminal echoes typed characters.
    var echoes: Bool {
        guard let output = ends.withLock({ $0.output }) else { return false }
        var settings = termios()
        return tcgetattr(output, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
    }

    /// Waits until the process has ended; its streams stay open.
    func exited() async throws {
        _ = await waiting { self.child.collect() }
        try Task.checkCancellation()
    }

    /// The first `count` bytes of its output, or all of it if it is shorter. Call it before `finished()`.
    func output(upTo count: Int) async -> String {
        await waiting {
            guard let output = self.ends.withLock({ $0.output }) else { return "" }
            var bytes: [UInt8] = []
            var byte: UInt8 = 0
            while bytes.count < count, Foundation.read(output, &byte, 1) == 1 { bytes.append(byte) }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// Waits until the terminal shows the question, and types an answer. Call it before `finished()`.
    func answer(_ question: String, with text: String) async throws {
        let shown = await waiting {
            guard let output = self.ends.withLock({ $0.output }) else { return "" }
            var shown: [UInt8] = []
            var byte: UInt8 = 0
            while !String(decoding: shown, as: UTF8.self).hasSuffix(question), Foundation.read(output, &byte, 1) == 1 {
                shown.append(byte)
            }
            _ = Array(text.utf8).withUnsafeBytes { Foundation.write(output, $0.baseAddress, $0.count) }
            return String(decoding: shown, as: UTF8.self)
        }
        guard shown.hasSuffix(question) else { throw ProductError("it does not ask “\(question)”: \(shown)") }
    }

    /// Runs `body` on a separate thread. It ends the process, and so the wait, when the task is cancelled.
    private func waiting<T: Sendable>(_ body: @escaping @Sendable () -> T) async -> T {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread { continuation.resume(returning: body()) }
            }
        } onCancel: {
            end()
        }
    }

    private func collect() -> ProductRun {
        let (output, errors) = ends.withLock { ends in
            defer { (ends.output, ends.errors) = (nil, nil) }
            return (ends.output, ends.errors)
        }
        let stdout = Drain(output)
        let stderr = Drain(errors)
        let (printed, said) = (stdout.bytes, stderr.bytes)
        return ProductRun(status: child.collect(), stdoutBytes: printed, stderrBytes: said)
    }

    // MARK: Streams

    /// The user's end of a new terminal, and the name of the other end.
    private static func terminal() throws -> (master: Int32, name: String) {
        #if canImport(Darwin)
        let master = posix_openpt(O_RDWR | O_NOCTTY)
        _ = fcntl(master, F_SETFD, FD_CLOEXEC)
        guard master >= 0, grantpt(master) == 0, unlockpt(master) == 0, let name = ptsname(master) else {
            throw ProductError("no terminal can be made")
        }
        return (master, String(cString: name))
        #else
        // Swift does not import posix_openpt and its relatives, so this uses TIOCSPTLCK and TIOCGPTN.
        let master = Foundation.open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var isLocked: Int32 = 0
        var number: Int32 = 0
        guard master >= 0, ioctl(master, 0x4004_5431, &isLocked) == 0, ioctl(master, 0x8004_5430, &number) == 0 else {
            throw ProductError("no terminal can be made")
        }
        return (master, "/dev/pts/\(number)")
        #endif
    }

    private static func open(_ input: Input) throws -> (stdin: Int32?, held: Int32?) {
        switch input {
        case .null:
            return (Foundation.open("/dev/null", O_RDONLY | O_CLOEXEC), nil)
        case .closed:
            return (nil, nil)
        case .file(let url, let offset):
            let file = Foundation.open(url.path, O_RDONLY | O_CLOEXEC)
            lseek(file, off_t(offset), SEEK_SET)
            return (file, nil)
        case .silentPipe:
            let pipe = try ProcessPipe()
            return (pipe.read, pipe.write)
        case .terminal(let typed):
            let (master, name) = try terminal()
            let slave = Foundation.open(name, O_RDONLY | O_NOCTTY | O_CLOEXEC)
            _ = Array(typed.utf8).withUnsafeBytes { Foundation.write(master, $0.baseAddress, $0.count) }
            return (slave, master)
        case .pipe(let bytes):
            let pipe = try ProcessPipe()
            // A new pipe holds a page, which is written before the tool starts.
            Self.write(bytes.prefix(4_096), to: pipe.write)
            // The rest is written while the tool reads.
            Thread.detachNewThread {
                Self.write(bytes.dropFirst(4_096), to: pipe.write)
                close(pipe.write)
            }
            return (pipe.read, nil)
        }
    }

    private static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
    }

    private static func open(_ output: Output) throws -> (stdout: Int32, read: Int32?) {
        switch output {
        case .pipe:
            let pipe = try ProcessPipe()
            return (pipe.write, pipe.read)
        case .file(let url):
            let descriptor = Foundation.open(url.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
            return (descriptor, nil)
        case .closedPipe:
            let pipe = try ProcessPipe()
            close(pipe.read)
            return (pipe.write, nil)
        case .terminal, .wholeTerminal:
            let (master, name) = try terminal()
            let slave = Foundation.open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)
            var settings = termios()
            tcgetattr(slave, &settings)
            // Output must arrive unchanged.
            settings.c_oflag &= ~tcflag_t(OPOST)
            tcsetattr(slave, TCSANOW, &settings)
            return (slave, master)
        }
    }
}

/// Reads a stream to its end on a separate thread.
private final class Drain: @unchecked Sendable {
    // The thread writes this before it signals the semaphore; others read it after the signal.
    private var read: [UInt8] = []
    private let done = DispatchSemaphore(value: 0)

    init(_ descriptor: Int32?) {
        guard let descriptor else {
            done.signal()
            return
        }
        Thread.detachNewThread {
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = buffer.withUnsafeMutableBytes { Foundation.read(descriptor, $0.baseAddress, $0.count) }
                // A terminal whose other end is closed reports an error in place of an end.
                guard count > 0 else { break }
                self.read += buffer[..<count]
            }
            close(descriptor)
            self.done.signal()
        }
    }

    var bytes: [UInt8] {
        done.wait()
        return read
    }
}

/// Runs `tsubame` to its end with an empty input.
func tool(_ arguments: String...) async throws -> ProductRun {
    try await ToolProcess(arguments).finished()
}
#endif
