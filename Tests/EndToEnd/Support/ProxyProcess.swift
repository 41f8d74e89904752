// ProxyProcess: a third-party proxy as a separate process on a free port.

import Foundation

/// The programs that `Scripts/build/setup.sh test` installs.
enum ProxyProgram: String, Sendable {
    case tinyproxy, microsocks

    /// The path of the program; nil if it is not installed.
    var path: String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return (folders + ["/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin"])
            .map { $0 + "/" + rawValue }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    var isThere: Bool { path != nil }

    /// The scheme of the proxy's URL.
    var scheme: String {
        switch self {
        case .tinyproxy: "http"
        case .microsocks: "socks5h"
        }
    }
}

/// A running proxy that requires credentials. It is killed and reaped at the latest when this object is released.
final class ProxyProcess: Sendable {
    static let user = "user"
    static let password = "s3cret"

    let program: ProxyProgram
    let port: UInt16
    private let child: ChildProcess
    private let folder: URL

    /// The proxy's URL, with `user:password` if given.
    func url(_ userinfo: String? = nil) -> String {
        "\(program.scheme)://\(userinfo.map { $0 + "@" } ?? "")127.0.0.1:\(port)"
    }

    /// Runs `body` with a proxy that accepts connections, and ends the proxy afterwards.
    static func run<R>(_ program: ProxyProgram, _ body: (ProxyProcess) async throws -> R) async throws -> R {
        let held = try HeldPort()
        let proxy = try ProxyProcess(program, port: held.number)
        defer { proxy.child.send(signal: SIGKILL) }
        try await proxy.waitUntilListening()
        held.close()
        return try await body(proxy)
    }

    private init(_ program: ProxyProgram, port: UInt16) throws {
        guard let path = program.path else { throw ProductError("\(program.rawValue) is not installed") }
        self.program = program
        self.port = port
        folder = FileManager.default.temporaryDirectory.appending(path: "tsubame-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let arguments: [String]
        switch program {
        case .tinyproxy:
            let file = folder.appending(path: "tinyproxy.conf")
            let settings = """
                Listen 127.0.0.1
                Port \(port)
                Allow 127.0.0.1
                Timeout 60
                BasicAuth \(Self.user) \(Self.password)

                """
            try Data(settings.utf8).write(to: file)
            arguments = ["-d", "-c", file.path]
        case .microsocks:
            arguments = ["-i", "127.0.0.1", "-p", "\(port)", "-u", Self.user, "-P", Self.password]
        }
        let nowhere = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(nowhere) }
        child = try ChildProcess(path, arguments, streams: [nowhere, nowhere, nowhere])
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// The program does not report when it listens, so this tries to connect.
    private func waitUntilListening() async throws {
        let end = ContinuousClock.now.advanced(by: .seconds(30))
        while !Loopback.takesConnections(port) {
            guard !child.hasEnded else { throw ProductError("\(program.rawValue) has ended before it listened") }
            guard ContinuousClock.now < end else { throw ProductError("\(program.rawValue) does not listen") }
            await Task.yield()
        }
    }
}

extension ChildProcess {
    /// Whether the process has ended; this does not reap it.
    fileprivate var hasEnded: Bool {
        var info = siginfo_t()
        return waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT | WNOHANG) == 0 && info.si_signo == SIGCHLD
    }
}

/// A port of the loopback interface that no other process takes by chance. A process that knows the port and sets
/// SO_REUSEADDR, as servers do, can listen on it. While this object holds the port, the port refuses connections.
final class HeldPort {
    let number: UInt16
    private var descriptor: Int32

    init() throws {
        let descriptor = Loopback.socket()
        var (yes, address) = (Int32(1), Loopback.address(port: 0))
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        self.descriptor = descriptor
        number = UInt16(bigEndian: address.sin_port)
        guard isBound else { throw ProductError("no port can be had") }
    }

    func close() {
        if descriptor >= 0 { Foundation.close(descriptor) }
        descriptor = -1
    }

    deinit { close() }
}

/// Sockets of this machine.
enum Loopback {
    static func socket() -> Int32 {
        #if canImport(Darwin)
        Foundation.socket(AF_INET, SOCK_STREAM, 0)
        #else
        Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        #endif
    }

    static func address(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    static func takesConnections(_ port: UInt16) -> Bool {
        let descriptor = socket()
        defer { Foundation.close(descriptor) }
        var address = address(port: port)
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    /// `localhost`, if a program that takes the first address resolves it to 127.0.0.1; otherwise the address.
    static let name: String = {
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo("localhost", nil, nil, &list) == 0 else { return "127.0.0.1" }
        defer { freeaddrinfo(list) }
        return list?.pointee.ai_family == AF_INET ? "localhost" : "127.0.0.1"
    }()
}
