// Sessions: the URLSessions of a transport, made when they are first needed.

import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import Synchronization
import Tsubame

/// Starts the tasks of a transport.
///
/// FoundationNetworking sends a request again if the kept connection has ended, and the body is then empty. So there each
/// request with a body has a session of its own, which has no kept connections.
final class Sessions: Sendable {
    private enum State: Sendable {
        case new
        case open(URLSession, SessionDelegate)
        case closed
    }

    private let configuration: URLSessionConfiguration
    private let state = Mutex(State.new)

    init(_ configuration: URLSessionConfiguration) { self.configuration = configuration.forExchanges() }

    deinit { close() }

    /// Starts the task of an exchange.
    func start(_ message: URLRequest, _ exchange: SessionExchange) throws(CallError) {
        let isAlone = Self.isolatesBodies && !exchange.body.isNone
        let task = state.withLock { state -> URLSessionTask? in
            let (session, delegate): (URLSession, SessionDelegate)
            switch state {
            case .closed: return nil
            case .open(let open, let its) where !isAlone: (session, delegate) = (open, its)
            case .new, .open:
                delegate = SessionDelegate(endsAfterTask: isAlone)
                session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: delegate.queue)
                if !isAlone { state = .open(session, delegate) }
            }
            let task = exchange.body.makeTask(message, in: session)
            delegate.add(exchange, for: task)
            return task
        }
        guard let task else { throw CallError(.cancelled, "the client is closed", phase: .connecting) }
        exchange.begin(task)
    }

    /// Lets the running tasks end, and then closes the connections.
    func close() {
        let session = state.withLock { state -> URLSession? in
            defer { state = .closed }
            if case .open(let session, _) = state { return session }
            return nil
        }
        session?.finishTasksAndInvalidate()
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
