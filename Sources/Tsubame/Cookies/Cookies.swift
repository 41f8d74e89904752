// Cookies: the two steps of the chain that send cookies from a jar and store them in it (RFC 6265bis).

import HTTPTypes
import TsubameCore

/// Sends the cookies that belong to the URI, after those that the caller has set.
final class CookiesOut: ChainStep {
    private let jar: CookieJar

    init(jar: CookieJar) { self.jar = jar }

    func willSend(_ request: inout Request, _ call: Call) throws(CallError) { add(to: &request, call) }

    func add(to request: inout Request, _ call: Call) {
        guard let uri = request.uri else { return }
        let (text, owner, notes) = jar.field(for: uri)
        let count = request.headers.count
        if let text { request.headers.append(HTTPField(name: .cookie, value: text)) }
        request.jarOwner = request.headers.count > count ? owner : nil
        for note in notes { call.emit(.decision(note)) }
    }
}

/// Stores the cookies of every response that came over the network.
final class CookiesIn: ChainStep {
    /// RFC 6265bis names no limit. A response with more cookies is an attack and not a session.
    private static let maximumPerResponse = 50

    private let jar: CookieJar

    init(jar: CookieJar) { self.jar = jar }

    func didReceive(_ response: inout Response, _ call: Call) throws(CallError) -> Bool {
        guard response.headers.contains(.setCookie), let uri = response.request.uri else { return false }
        take(Array(response.headers[values: .setCookie]), from: uri, call)
        return false
    }

    func take(_ fields: [String], from uri: TargetURI, _ call: Call) {
        let (refused, notes) = jar.take(Array(fields.prefix(Self.maximumPerResponse)), from: uri)
        for cookie in refused {
            let name = cookie.name.isEmpty ? "without a name" : "“\(Redaction.printable(cookie.name))”"
            call.emit(.decision("the cookie \(name) of \(uri.host) is refused: \(cookie.why)"))
        }
        if fields.count > Self.maximumPerResponse {
            call.emit(
                .decision(
                    "\(fields.count - Self.maximumPerResponse) cookies of \(uri.host) are refused: "
                        + "a response sets at most \(Self.maximumPerResponse)"))
        }
        for note in notes { call.emit(.decision(note)) }
    }
}
