// LoginEndpoints: /login, a form login that sets a session cookie, and /me, a page that needs the session.
#if Server
import HTTPTypes
import HummingbirdCore

enum LoginEndpoints {
    private static let cookie = "session"

    static let routes = [
        Route("/login", "POST the form fields name and password for a session cookie", methods: .only(["GET", "POST"]))
        {
            try await $0.method == "POST" ? signIn($0) : Reply.json(description)
        },
        Route("/me", "who is signed in; 401 without a session") { exchange in
            let token = CookieEndpoints.received(exchange).first { $0.name == cookie }?.value
            guard let name = token.flatMap(exchange.sessions.name(for:)) else { return try refusal("no session") }
            return try Reply.json(["name": .string(name)])
        },
    ]

    private static let description: JSON = [
        "method": "POST", "content-type": "application/x-www-form-urlencoded", "fields": ["name", "password"],
        "cookie": .string(cookie), "then": "/me",
    ]

    private static func signIn(_ exchange: Exchange) async throws -> Response {
        let form = try await exchange.form()
        guard form.isForm else { return try refusal("the request has no form: send one with a form's Content-Type") }
        guard let name = form.fields.first("name"), let password = form.fields.first("password") else {
            return try refusal("the fields name and password are needed")
        }
        guard let wanted = exchange.settings.accounts[name], wanted.utf8.elementsEqual(password.utf8) else {
            return try refusal("wrong name or password")
        }
        let token = exchange.sessions.begin(for: name)
        return try Reply.json(
            ["authenticated": true, "name": .string(name)],
            fields: [.setCookie: "\(cookie)=\(token); Path=/; HttpOnly; SameSite=Lax"])
    }

    private static func refusal(_ reason: String) throws -> Response {
        // A 401 must name a scheme (RFC 9110 section 11.6.1); none is registered for forms and cookies.
        try Reply.json(
            ["authenticated": false, "error": .string(reason)], status: 401,
            fields: [.wwwAuthenticate: "Cookie form-action=\"/login\", cookie-name=\"\(cookie)\""])
    }
}

#endif
