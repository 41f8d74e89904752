// TransportContract: the checks that every transport must pass.
#if TestServer

public import Tsubame

/// One check of the contract that every ``/Tsubame/Transport`` keeps.
///
/// ```swift
/// @Test(arguments: TransportContract.checks(for: [.trailers]))
/// func `my transport keeps the contract`(check: TransportContract) async throws {
///     try await check.verify { settings in MyTransport(settings) }
/// }
/// ```
/// A check runs a client with the transport against servers on this machine, and throws ``Violation`` if the transport
/// does something else than the contract says. The checks over TLS set the root that the transport
/// has to trust.
public struct TransportContract: Sendable, CustomStringConvertible {
    /// An ability that a transport may lack.
    public enum Feature: String, Sendable, Hashable, CaseIterable {
        /// Keeps a connection open, and uses it for the next exchange.
        case reuse
        /// Returns the trailer fields of a response.
        case trailers
        /// Sends the trailer fields of a request.
        case requestTrailers
        /// Reports 1xx responses.
        case informational
        /// Reports the connection of an exchange.
        case connections
        /// Speaks HTTP/2 from the first byte, without TLS, for a client whose `connection.httpVersion` is
        /// `.http2`.
        case http2
    }

    /// A part of the contract that a networking stack makes impossible. Its transport documents each that it has, and fails
    /// clearly where it can.
    public enum Shortcoming: String, Sendable, Hashable, CaseIterable {
        /// The target `*` cannot be sent.
        case serverTarget
        /// The order of a response's fields is lost, and several of one name are joined.
        case fieldOrder
        /// Coded bodies are decoded below the client.
        case codedBodies
        /// A slow reader does not slow the server down. The transport bounds the bytes that it keeps.
        case backPressure
        /// A stream is read to its end before the request is sent.
        case streamedUploads
        /// The steps of connecting are not told, so `connect` and `tls` have no deadline of their own.
        case connectionSteps
    }

    /// An error that says how a transport breaks the contract.
    public struct Violation: Error, Sendable, CustomStringConvertible {
        /// The name of the check, and what was seen.
        public let description: String
    }

    /// The expectation of the check, as a sentence.
    public let name: String
    private let needs: Set<Feature>
    private let excuse: Shortcoming?
    private let body: @Sendable (ContractRun) async throws -> Void

    init(
        _ name: String, needs: Set<Feature> = [], unless excuse: Shortcoming? = nil,
        _ body: @escaping @Sendable (ContractRun) async throws -> Void
    ) {
        self.name = name
        self.needs = needs
        self.excuse = excuse
        self.body = body
    }

    /// The same as ``name``.
    public var description: String { name }

    /// The checks for a transport.
    /// - Parameters:
    ///   - features: the abilities of the transport. The checks of others are left out.
    ///   - shortcomings: the parts that the transport cannot keep. Their checks are left out, too.
    public static func checks(
        for features: Set<Feature> = Set(Feature.allCases), except shortcomings: Set<Shortcoming> = []
    ) -> [TransportContract] {
        let all =
            requests + requestBodies + responses + responseBodies + failures + cancellation + deadlines + modesty
            + connections + settings + http2 + embeddedServer
        return all.filter { check in
            check.needs.isSubset(of: features) && !(check.excuse.map(shortcomings.contains) ?? false)
        }
    }

    /// Runs the check.
    /// - Parameters:
    ///   - time: the longest time that the check may take. After it, the check is cancelled, and its end is not awaited.
    ///   - make: makes the transport for a client with these settings; nil for the built-in engine.
    /// - Throws: ``Violation``, ``Leak``, or any error that the transport should not have thrown.
    public func verify(
        within time: Duration = .seconds(60),
        _ make: @escaping @Sendable (ConnectionSettings) -> (any Transport)?
    ) async throws {
        let run = ContractRun(name: name, make: make)
        let outcome = Watched<Result<Void, any Error>?>(nil)
        let check = Task {
            let result: Result<Void, any Error>
            do {
                result = .success(try await body(run))
            } catch let error as WaitTimeout {
                result = .failure(run.violation("\(error)"))
            } catch {
                result = .failure(error)
            }
            outcome.change { $0 = result }
        }
        do {
            // A task group would wait for the check, and a transport may never end it.
            try await outcome.wait(within: time, for: "the check", seen: { _ in "" }, until: { $0 != nil })
        } catch {
            check.cancel()
            guard error is WaitTimeout else { throw error }
            throw run.violation("the check did not end within \(time); the transport may have sent no request")
        }
        try outcome.read { $0 }?.get()
    }
}

/// One run of a check, with the means to make clients and to compare.
struct ContractRun: Sendable {
    let name: String
    let make: @Sendable (ConnectionSettings) -> (any Transport)?

    /// A client whose chain adds nothing that a check does not ask for.
    func client(_ base: String, _ configure: (inout Configuration) -> Void = { _ in }) -> Client {
        var configuration = Configuration()
        prepare(&configuration, configure)
        return Client(base, transport: make(configuration.connection)) { prepare(&$0, configure) }
    }

    private func prepare(_ configuration: inout Configuration, _ configure: (inout Configuration) -> Void) {
        configuration.connection.proxy = .none
        configuration.retry = .off
        configure(&configuration)
    }

    /// Runs `body` with a client of the server. Afterwards no call may run, and no connection may be open.
    func serving(
        _ server: ScriptedServer, _ configure: (inout Configuration) -> Void = { _ in },
        _ body: (ScriptedServer, Client) async throws -> Void
    ) async throws {
        try await server.use { server in
            let client = client(server.url, configure)
            do {
                try await body(server, client)
            } catch {
                await client.close()
                throw error
            }
            try await LeakCheck.verify(client)
            await client.close()
            try await LeakCheck.verifyClosed(client)
            try await server.waitUntil(openConnections: 0)
        }
    }

    func expect(_ isKept: Bool, _ seen: @autoclosure () -> String) throws(TransportContract.Violation) {
        if !isKept { throw violation(seen()) }
    }

    func expect<Value: Equatable>(_ value: Value, is expected: Value, _ what: String)
        throws(TransportContract.Violation)
    {
        if value != expected { throw violation("\(what) is \(value), and not \(expected)") }
    }

    func violation(_ seen: String) -> TransportContract.Violation {
        TransportContract.Violation(description: "\(name): \(seen)")
    }

    /// The error of a call that must fail in one of these ways.
    @discardableResult
    func failure(_ kinds: CallError.Kind..., of body: () async throws -> Void) async throws -> CallError {
        do {
            try await body()
        } catch let error as CallError {
            try expect(kinds.contains(error.kind), "the call failed with \(error.kind.rawValue): \(error.reason)")
            return error
        }
        throw violation("the call did not fail")
    }
}
#endif
