// Routes: every route of the server.
#if Server
import HummingbirdCore

enum Routes {
    static let all: [Route] = [
        [index],
        MethodEndpoints.routes,
        InspectionEndpoints.routes,
        StatusEndpoints.routes,
        RedirectEndpoints.routes,
        CookieEndpoints.routes,
        AuthenticationEndpoints.routes,
        DigestEndpoint.routes,
        CodingEndpoints.routes,
        StreamEndpoints.routes,
        BytesEndpoints.routes,
        RangeEndpoint.routes,
        CacheEndpoints.routes,
        Base64Endpoint.routes,
        LinkEndpoints.routes,
        ImageEndpoints.routes,
        DocumentEndpoints.routes,
        EventEndpoints.routes,
        PageEndpoints.routes,
        TimelineEndpoint.routes,
        LoginEndpoints.routes,
        KeyValueEndpoint.routes,
        UploadEndpoint.routes,
        ResumableUploadEndpoints.routes,
        WireEndpoints.routes,
        AuthorityEndpoint.routes,
    ].flatMap { $0 }

    private static let index = Route("/", "this list") { _ in
        let width = all.map(\.path.count).max() ?? 0
        let lines = all.map { route in
            route.path + String(repeating: " ", count: width - route.path.count + 2) + route.summary + "\n"
        }
        return try Reply.text(lines.joined())
    }
}

#endif
