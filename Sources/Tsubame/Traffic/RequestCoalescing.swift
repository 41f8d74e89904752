// RequestCoalescing: makes one request of equal GETs that run at the same time.

import HTTPTypes
import Synchronization
import TsubameCore
import TsubamePlatform

/// Sends the first of several equal requests, and gives its response to the others. If the first is cancelled, or its
/// response cannot be shared, the next one is sent.
final class RequestCoalescing: CallInterceptor {
    private struct Key: Hashable {
        let uri: TargetURI
        let headers: HTTPFields
    }

    private enum Outcome: Sendable {
        case response(Response)
        case failure(CallError)
        /// The response is too long to be shared: each of the others is sent on its own.
        case alone
        /// The first request had no outcome for the others: the next one is sent.
        case none
    }

    /// The part of one request among its equals.
    private enum Part {
        case lead(Flight)
        case follow(CallWait<Outcome>)
    }

    private final class Flight: Sendable {
        let followers = Mutex<[CallWait<Outcome>]>([])
    }

    private let flights = Mutex<[Key: Flight]>([:])

    /// The number of requests that wait for another request's response.
    var waiting: Int {
        flights.withLock { $0.values.reduce(0) { $0 + $1.followers.withLock { $0.count } } }
    }

    func intercept(_ request: Request, _ call: Call, next: CallNext) async throws(CallError) -> Response {
        guard request.method == .get, request.body.isEmpty, let uri = request.uri else {
            // A GET that begins later must not get a response from before the change.
            defer { if !request.method.isSafe, let uri = request.uri { forget(uri) } }
            return try await next(request, call)
        }
        let key = Key(uri: uri, headers: request.headers.fields)
        while true {
            switch join(key) {
            case .lead(let flight):
                return try await lead(flight, key, request, call, next)
            case .follow(let wait):
                call.emit(.decision("the call waits for the response of an equal one (coalescing)"))
                switch try await wait.value(for: call) {
                case .response(var response):
                    response.details = response.details.with(request: request)
                    return response
                case .failure(let error): throw error
                case .alone: return try await next(request, call)
                case .none: continue
                }
            }
        }
    }

    /// Lets no further request follow those to this URI.
    private func forget(_ uri: TargetURI) {
        flights.withLock { flights in
            for key in flights.keys where key.uri == uri { flights[key] = nil }
        }
    }

    /// Follows the request that is running, or leads if none is.
    private func join(_ key: Key) -> Part {
        flights.withLock { flights in
            if let flight = flights[key] {
                let wait = CallWait<Outcome>(.preparing)
                flight.followers.withLock { $0.append(wait) }
                return .follow(wait)
            }
            let flight = Flight()
            flights[key] = flight
            return .lead(flight)
        }
    }

    private func lead(
        _ flight: Flight, _ key: Key, _ request: Request, _ call: Call, _ next: CallNext
    ) async throws(CallError) -> Response {
        var outcome = Outcome.none
        defer {
            flights.withLock { if $0[key] === flight { $0[key] = nil } }
            for follower in flight.followers.withLock({ $0 }) { follower.settle(outcome) }
        }
        do throws(CallError) {
            let response = try await next(request, call)
            outcome = response.body.bytes == nil ? .alone : .response(response)
            return response
        } catch {
            switch error.kind {
            // These errors concern only this call. Each of the others has its own deadlines and its own limit of
            // exchanges.
            case .cancelled, .timeout: break
            case .limitExceeded where error.phase == .preparing: break
            default: outcome = .failure(error)
            }
            throw error
        }
    }
}
