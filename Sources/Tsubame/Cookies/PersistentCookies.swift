// PersistentCookies: the chain steps of a jar that is kept in a file, which may wait for other processes.

import HTTPTypes
import TsubameCore

/// Does the same as ``CookiesOut``, on the jar's queue instead of the threads of calls.
final class PersistentCookiesOut: ChainStep {
    private let jar: CookieJar

    init(_ jar: CookieJar) { self.jar = jar }

    func stance(toward request: borrowing Request) -> Stance { .waiting }

    func prepare(_ request: Request, _ call: Call) async throws(CallError) -> Request {
        guard let queue = jar.queue else { return request }
        let (jar, given) = (jar, request)
        return try await BlockingWork.run(on: queue, call) {
            var request = given
            CookiesOut(jar: jar).add(to: &request, call)
            return request
        }
    }
}

/// Does the same as ``CookiesIn``, on the jar's queue instead of the threads of calls. The response continues when its
/// cookies are stored.
final class PersistentCookiesIn: ChainStep {
    private let jar: CookieJar

    init(_ jar: CookieJar) { self.jar = jar }

    func stance(toward request: borrowing Request) -> Stance { .deciding }

    func didReceive(_ response: inout Response, _ call: Call) throws(CallError) -> Bool {
        response.headers.contains(.setCookie)
    }

    func followUp(_ response: borrowing Response, _ hop: borrowing Hop) -> FollowUp {
        guard let queue = jar.queue, let uri = response.request.uri else { return .proceed }
        let (jar, call, fields) = (jar, hop.call, Array(response.headers[values: .setCookie]))
        return .wait { () throws(CallError) in
            try await BlockingWork.complete(on: queue, call) {
                CookiesIn(jar: jar).take(fields, from: uri, call)
            }
        }
    }
}
