// SessionDelegate: passes the events of tasks to their exchanges.

import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import Synchronization
import Tsubame

/// The delegate of one session. URLSession calls it on ``queue``, one call after the other.
final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
    private let exchanges = Mutex<[Int: SessionExchange]>([:])
    private let verification: ServerVerification?
    /// Whether a server was verified by that. URLSession may resume a TLS session, and then asks for no check.
    private let hasVerified = Atomic(false)
    private let endsAfterTask: Bool
    let queue: OperationQueue = {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        return queue
    }()

    /// - Parameters:
    ///   - verification: what servers are verified by, beside the system.
    ///   - endsAfterTask: whether the session has one task only.
    init(_ verification: ServerVerification?, endsAfterTask: Bool) {
        self.verification = verification
        self.endsAfterTask = endsAfterTask
    }

    func add(_ exchange: SessionExchange, for task: URLSessionTask) {
        exchanges.withLock { $0[task.taskIdentifier] = exchange }
    }

    private func exchange(_ task: URLSessionTask) -> SessionExchange? {
        exchanges.withLock { $0[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        if verification != nil, response.url?.scheme == "https", !hasVerified.load(ordering: .acquiring) {
            exchange(dataTask)?.fail(
                CallError(
                    .tls, "URLSession did not ask for a check of the server, because it resumed an earlier connection",
                    phase: .securing,
                    advice: "use a configuration or a process without earlier connections to this host"))
            return completionHandler(.cancel)
        }
        exchange(dataTask)?.receive(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchange(dataTask)?.receive(data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }?.complete(error, task.response)
        if endsAfterTask { session.finishTasksAndInvalidate() }
    }

    /// The client follows redirects.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    /// The system verifies the server. The client answers every other challenge, so the response goes to it.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        #if canImport(FoundationNetworking)
        // It comes after the whole response, and each answer but credentials cancels the task.
        exchange(task)?.finish()
        completionHandler(.cancelAuthenticationChallenge, nil)
        #else
        let space = challenge.protectionSpace
        switch space.authenticationMethod {
        case NSURLAuthenticationMethodServerTrust:
            guard let verification else { return completionHandler(.performDefaultHandling, nil) }
            let exchange = exchange(task)
            // Without a certificate, or for another host, there is nothing that could be trusted.
            guard let trust = space.serverTrust, verification.isFor(space.host) else {
                exchange?.fail(
                    ServerTrust.refused("the server that answers for \(verification.host) cannot be checked"))
                return completionHandler(.cancelAuthenticationChallenge, nil)
            }
            ServerTrust(trust: trust, verification: verification).verify { [self] error in
                if let error { exchange?.fail(error) } else { hasVerified.store(true, ordering: .releasing) }
                completionHandler(error == nil ? .performDefaultHandling : .cancelAuthenticationChallenge, nil)
            }
        case NSURLAuthenticationMethodClientCertificate: completionHandler(.performDefaultHandling, nil)
        default: completionHandler(.rejectProtectionSpace, nil)
        }
        #endif
    }

    #if !canImport(FoundationNetworking)
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        if let metrics = SessionMetrics(metrics) { exchange(task)?.report(metrics) }
    }
    #endif
}
