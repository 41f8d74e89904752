// Sessions: the URLSessions of a transport, made when they are first needed.

import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import Synchronization
import Tsubame

/// Starts the tasks of a transport.
///
/// A connection is verified once, by the settings of the call that it was made for. URLSession may use it for other hosts of its
/// certificate. So a host with pins or a check has a session of its own for each of its settings of TLS.
///
/// FoundationNetworking sends a request again if the kept connection has ended, and the body is then empty. So there each
/// request with a body has a session of its own, which has no kept connections.
final class Sessions: Sendable {
    private enum State: Sendable {
        case open([(verification: ServerVerification?, session: Session)])
        case closed
    }

    private typealias Session = (session: URLSession, delegate: SessionDelegate)

    private static let mostSessions = 32

    private let configuration: URLSessionConfiguration
    private let state = Mutex(State.open([]))

    init(_ configuration: URLSessionConfiguration) { self.configuration = configuration.forExchanges() }

    deinit { close() }

    /// Starts the task of an exchange.
    func start(_ message: URLRequest, _ exchange: SessionExchange) throws(CallError) {
        let isAlone = Self.isolatesBodies && !exchange.body.isNone
        let task = state.withLock { state -> URLSessionTask? in
            guard case .open(var open) = state else { return nil }
            let verification = exchange.verification
            let known = isAlone ? nil : open.first { $0.verification == verification }?.session
            let (session, delegate) = known ?? makeSession(verification, endsAfterTask: isAlone)
            if known == nil, !isAlone {
                // A check equals only itself, so a caller could make any number. The session without a check stays.
                if open.count >= Self.mostSessions, let oldest = open.firstIndex(where: { $0.verification != nil }) {
                    open.remove(at: oldest).session.session.finishTasksAndInvalidate()
                }
                open.append((verification, (session, delegate)))
                state = .open(open)
            }
            let task = exchange.body.makeTask(message, in: session)
            delegate.add(exchange, for: task)
            return task
        }
        guard let task else { throw CallError(.cancelled, "the client is closed", phase: .connecting) }
        exchange.begin(task)
    }

    private func makeSession(_ verification: ServerVerification?, endsAfterTask: Bool) -> Session {
        let delegate = SessionDelegate(verification, endsAfterTask: endsAfterTask)
        let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: delegate.queue)
        return (session, delegate)
    }

    /// Lets the running tasks end, and then closes the connections.
    func close() {
        let sessions = state.withLock { state -> [Session] in
            defer { state = .closed }
            if case .open(let open) = state { return open.map(\.session) }
            return []
        }
        for (session, _) in sessions { session.finishTasksAndInvalidate() }
    }

    private static var isolatesBodies: Bool {
        #if canImport(FoundationNetworking)
        true
        #else
        false
        #endif
    }
}

extension URLSessionConfiguration {
    /// A copy that does one exchange and nothing else.
    fileprivate func forExchanges() -> URLSessionConfiguration {
        guard let copy = copy() as? URLSessionConfiguration else { return .ephemeral }
        copy.httpCookieStorage = nil
        copy.httpCookieAcceptPolicy = .never
        copy.httpShouldSetCookies = false
        copy.urlCache = nil
        copy.urlCredentialStorage = nil
        copy.requestCachePolicy = .reloadIgnoringLocalCacheData
        // The client keeps the deadlines. FoundationNetworking counts in 32 bits of milliseconds.
        copy.timeoutIntervalForRequest = 1_000_000
        return copy
    }
}
