// KeyValueEndpoint: /keyvalue, the wire format `key1=value1&key2=value2&…&END`.
#if Server
import HTTPTypes
import HummingbirdCore

enum KeyValueEndpoint {
    static let routes = [
        Route(
            "/keyvalue", "k=v&…&END and garbage; messageType and dateTime come back", methods: .only(["GET", "POST"]),
            endpoint: answer)
    ]

    /// Parameters by query or form: `messageType` and `dateTime` come back, `code` is the status, and `delay` the pause
    /// in seconds between the two halves. The cut lies inside a character.
    @Sendable private static func answer(_ exchange: Exchange) async throws -> Response {
        let arguments = try exchange.arguments()
        let form = exchange.method == "POST" ? try await exchange.form().fields : Pairs()
        func parameter(_ name: String) -> String? { form.first(name) ?? arguments.first(name) }

        let code = try Number.count(parameter("code"), default: 200, limit: .max)
        let delay = try Number.seconds(parameter("delay"))
        let start = "messageType=\(bare(parameter("messageType")))&dateTime=\(bare(parameter("dateTime")))&message=燕"
        let rest = "は春に来る&expression=a=b==c&empty=&resultCode=0&END&resultCode=999&garbage=無視\r\n"
        let bytes = Array((start + rest).utf8)
        let cut = start.utf8.count - 1
        return try Reply.pieces(2, type: "text/plain; charset=utf-8", status: code, delay: delay, to: exchange) {
            Array($0 == 0 ? bytes[..<cut] : bytes[cut...])
        }
    }

    /// The value without characters that would end it, because the format has no escapes of its own.
    private static func bare(_ value: String?) -> String {
        let escaped = PercentCoding.encode((value ?? "").utf8, keeping: "!*'();:@=+$,/?#[] \"<>\\^`{|}")
        return PercentCoding.readable(escaped, keeping: "&")
    }
}

#endif
