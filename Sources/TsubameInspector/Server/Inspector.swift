// Inspector: the server of the page that shows calls live.

#if Inspector
public import Tsubame
import HTTPTypes
import HummingbirdCore
import NIOCore
import Synchronization
import TsubameCore

/// A running inspector: a page in the browser that shows the calls of clients live.
///
/// ```swift
/// try await client.inspect()  // prints the URL
/// ```
/// It listens on the loopback address only, and the URL holds a token that is made at each start. An inspector that
/// ``init(log:port:showsSecrets:session:)`` made ends with ``stop()``, or when its last reference is released.
public final class Inspector: Sendable {
    /// The calls that the page shows.
    public let log: TrafficLog
    /// The URL of the page, with its token.
    public let url: String
    /// The TCP port on which the inspector listens.
    public var port: Int { listener.port }
    private let listener: Listener
    private let feeds: Feeds
    private let rules = InspectorRules()
    private let session: SessionFile?

    /// Starts the server.
    /// - Parameters:
    ///   - log: the calls to show.
    ///   - port: the TCP port on the loopback address; 0 for any free port.
    ///   - showsSecrets: whether the page has a button that shows credentials and other secrets.
    ///   - session: a file in HAR 1.2 that keeps the calls for later sessions. Its calls are shown, and it is written every 30
    ///     seconds while there are new ones, and by ``stop()``. Secrets are withheld in it.
    /// - Throws: the error of the system if the port is taken, or `CallError` if the file is no archive.
    public init(log: TrafficLog, port: Int = 0, showsSecrets: Bool = false, session: String? = nil) async throws {
        self.log = log
        var random = SystemRandomNumberGenerator()
        let token = (0..<4).map { _ in String(random.next() as UInt64, radix: 36) }.joined()
        let texts = ShownTexts(limit: log.limits.total / 2)
        let feeds = Feeds(log, texts)
        let routes = Routes(log: log, feeds: feeds, rules: rules, texts: texts, showsSecrets: showsSecrets)
        // The guard needs the port, which is known once the server listens.
        let guarded = GuardedRoutes(routes)
        listener = try await Listener(host: "127.0.0.1", port: port) { try await guarded.answer($0, on: $1) }
        self.session = try session.map { try SessionFile($0, of: log) }
        if session != nil { log.keepBodies() }
        guarded.open(RequestGuard(token: token, hosts: ["127.0.0.1", "localhost"], port: listener.port))
        url = "http://127.0.0.1:\(listener.port)/?token=\(token)"
        self.feeds = feeds
        log.apply(rules)
    }

    /// Stops the server, closes the connections of its pages, and ends its rules. The log goes on.
    public func stop() async {
        Self.kept.withLock { $0[ObjectIdentifier(self)] = nil }
        log.end(rules)
        feeds.end()
        await listener.stop()
        await session?.end()
    }

    deinit {
        log.end(rules)
        feeds.end()
    }

    /// The inspectors that ``Tsubame/Client/inspect(port:showsSecrets:session:)`` made.
    private static let kept = Mutex<[ObjectIdentifier: Inspector]>([:])

    fileprivate func keep() { Self.kept.withLock { $0[ObjectIdentifier(self)] = self } }
}

extension Client {
    /// Starts an inspector for the calls of this client, and prints its URL on the standard error. It runs until
    /// ``Inspector/stop()``, or until the process ends.
    ///
    /// ```swift
    /// try await client.inspect()
    /// ```
    /// - Parameters:
    ///   - port: the TCP port on the loopback address; 0 for any free port.
    ///   - showsSecrets: whether the page has a button that shows credentials and other secrets.
    ///   - session: a file in HAR 1.2 that keeps the calls for later sessions, without secrets. It is written every 30 seconds
    ///     while there are new calls, and by ``Inspector/stop()``.
    /// - Returns: the inspector, to stop it or to use its log.
    /// - Throws: the error of the system if the port is taken, or `CallError` if the file is no archive.
    @discardableResult
    public func inspect(port: Int = 0, showsSecrets: Bool = false, session: String? = nil) async throws -> Inspector {
        let log = TrafficLog()
        log.add(self)
        let inspector = try await Inspector(log: log, port: port, showsSecrets: showsSecrets, session: session)
        inspector.keep()
        StandardError.write("The inspector is at \(inspector.url)\n")
        return inspector
    }
}
#endif
