// KeptCookies: the two places of a jar that is kept in a file, where other processes may have to be waited for.

import HTTPTypes
import TsubameCore

/// What ``CookiesOut`` does, off the threads that calls run on.
final class KeptCookiesOut: Interceptor, Step {
    private let jar: CookieJar

    init(_ jar: CookieJar) { self.jar = jar }

    var kind: String { "hook" }

    func stance(toward request: borrowing Request) -> Stance { .waiting }

    func prepare(_ request: Request, _ call: Call) async throws(CallError) -> Request {
        guard let queue = jar.queue else { return request }
        let (jar, given) = (jar, request)
        return try await BackgroundWork.run(on: queue, call) {
            var request = given
            CookiesOut(jar: jar).add(to: &request, call)
            return request
        }
    }

    func willSend(_ request: inout Request, _ call: Call) throws(CallError) {}
    func didReceive(_ response: inout Response, _ call: Call) throws(CallError) -> Bool { false }
    func judge(_ response: borrowing Response, _ hop: borrowing Hop) -> Verdict { .proceed }
}

/// What ``CookiesIn`` does, off the threads that calls run on: the response goes on when its cookies are kept.
final class KeptCookiesIn: Interceptor, Step {
    private let jar: CookieJar

    init(_ jar: CookieJar) { self.jar = jar }

    var kind: String { "hook" }

    func stance(toward request: borrowing Request) -> Stance { .judging }

    func willSend(_ request: inout Request, _ call: Call) throws(CallError) {}

    func didReceive(_ response: inout Response, _ call: Call) throws(CallError) -> Bool {
        response.headers.contains(.setCookie)
    }

    func judge(_ response: borrowing Response, _ hop: borrowing Hop) -> Verdict {
        guard let queue = jar.queue, let uri = response.request.uri else { return .proceed }
        let (jar, call, fields) = (jar, hop.call, Array(response.headers[values: .setCookie]))
        return .wait { () throws(CallError) in
            try await BackgroundWork.run(on: queue, call) {
                CookiesIn(jar: jar).take(fields, from: uri, call)
            }
        }
    }
}
