// ProxyPolicyTests: the proxy that a policy chooses, without a connection.

import Testing
import TsubameCore

/// A policy and a URL, and whether the URL goes through the proxy.
struct ProxyRow: Sendable, CustomTestStringConvertible {
    let setting: String
    let url: String
    let isProxied: Bool

    var testDescription: String { "\(setting): \(url) \(isProxied ? "by the proxy" : "direct")" }

    static func environment(_ setting: String, _ url: String, _ isProxied: Bool) -> ProxyRow {
        ProxyRow(setting: setting, url: url, isProxied: isProxied)
    }

    static func except(_ exceptions: String, _ url: String, _ isProxied: Bool) -> ProxyRow {
        ProxyRow(setting: exceptions, url: url, isProxied: isProxied)
    }

    static let schemes = [
        environment("http_proxy=http://PROXY", "http://a.example/", true),
        environment("http_proxy=http://PROXY", "https://a.example/", false),
        environment("https_proxy=http://PROXY", "https://a.example/", true),
        environment("https_proxy=http://PROXY", "http://a.example/", false),
        environment("HTTPS_PROXY=http://PROXY", "https://a.example/", true),
        environment("all_proxy=http://PROXY", "http://a.example/", true),
        environment("all_proxy=http://PROXY", "https://a.example/", true),
        environment("ALL_PROXY=http://PROXY", "http://a.example/", true),
        environment("all_proxy=socks5://PROXY", "http://a.example/", true),
        environment("http_proxy=http://PROXY all_proxy=http://OTHER", "http://a.example/", true),
        environment("https_proxy=http://PROXY all_proxy=http://OTHER", "https://a.example/", true),
        // The most common form.
        environment("http_proxy=PROXY", "http://a.example/", true),
        environment("http_proxy=http://PROXY/", "http://a.example/", true),
        environment("http_proxy=", "http://a.example/", false),
        environment("", "http://a.example/", false),
        environment("ftp_proxy=http://PROXY", "http://a.example/", false),
    ]

    static let cases = [
        environment("http_proxy=http://PROXY HTTP_PROXY=http://OTHER", "http://a.example/", true),
        environment("https_proxy=http://PROXY HTTPS_PROXY=http://OTHER", "https://a.example/", true),
        environment("all_proxy=http://PROXY ALL_PROXY=http://OTHER", "http://a.example/", true),
        environment("HTTP_PROXY=http://PROXY", "http://a.example/", true),
        // Under CGI a request's field `Proxy` sets this variable.
        environment("HTTP_PROXY=http://PROXY REQUEST_METHOD=GET", "http://a.example/", false),
        environment("HTTP_PROXY=http://OTHER all_proxy=http://PROXY REQUEST_METHOD=GET", "http://a.example/", true),
        environment("http_proxy=http://PROXY REQUEST_METHOD=GET", "http://a.example/", true),
        environment("HTTPS_PROXY=http://PROXY REQUEST_METHOD=GET", "https://a.example/", true),
        environment("http_proxy=http://PROXY NO_PROXY=a.example", "http://a.example/", false),
        environment("http_proxy=http://PROXY no_proxy=b.example NO_PROXY=a.example", "http://a.example/", true),
        environment("http_proxy=http://PROXY no_proxy=a.example NO_PROXY=b.example", "http://a.example/", false),
    ]

    static let exceptions = [
        except("a.example", "http://a.example/", false), except("a.example", "http://b.example/", true),
        except("a.example", "https://a.example/", false), except("A.Example", "http://a.example/", false),
        except("a.example", "http://A.EXAMPLE:8080/", false),
        except("example.org", "http://example.org/", false), except("example.org", "http://www.example.org/", false),
        except("example.org", "http://badexample.org/", true), except("example.org", "http://example.org.bad/", true),
        except(".example.org", "http://www.example.org/", false),
        except(".example.org", "http://a.b.example.org/", false),
        except(".example.org", "http://badexample.org/", true),
        except("*", "http://a.example/", false), except("*", "http://192.0.2.1/", false),
        except("*", "https://a.example/", false),
        except("192.0.2.1", "http://192.0.2.1/", false), except("192.0.2.1", "http://192.0.2.10/", true),
        except("192.0.2.1", "http://192.0.2.1.example/", true), except("2.1", "http://192.0.2.1/", true),
        except("192.0.2.0/24", "http://192.0.2.200/", false), except("192.0.2.0/24", "http://192.0.3.1/", true),
        except("192.0.2.128/25", "http://192.0.2.127/", true), except("192.0.2.128/25", "http://192.0.2.128/", false),
        except("192.0.2.77/24", "http://192.0.2.1/", false), except("192.0.2.7/32", "http://192.0.2.6/", true),
        except("0.0.0.0/0", "http://198.51.100.1/", false), except("0.0.0.0/0", "http://a.example/", true),
        except("0.0.0.0/0", "http://[2001:db8::1]/", true),
        except("2001:db8::1", "http://[2001:db8::1]/", false), except("[2001:db8::1]", "http://[2001:db8::1]/", false),
        except("2001:db8::/33", "http://[2001:db8:7fff::1]/", false),
        except("2001:db8::/33", "http://[2001:db8:8000::1]/", true),
        except("a.example:8080", "http://a.example:8080/", false), except("a.example:8080", "http://a.example/", true),
        except("a.example:80", "http://a.example/", false), except("a.example:443", "https://a.example/", false),
        except("a.example:443", "http://a.example/", true),
        except("192.0.2.1:81", "http://192.0.2.1:81/", false), except("192.0.2.1:81", "http://192.0.2.1/", true),
        except("b.example,a.example", "http://a.example/", false),
        except("b.example,,a.example,", "http://a.example/", false), except(",", "http://a.example/", true),
        except("a.example", "http://a.example./", false), except("a.example.", "http://www.a.example/", false),
        // A host in any spelling, on either side.
        except("192.0.2.0/24", "http://[::ffff:c000:201]/", false), except("192.0.2.1", "http://0xc0.0.2.1/", false),
        except("192.0.2.0/24", "http://3221225985/", false), except("::ffff:192.0.2.1", "http://192.0.2.1/", false),
        except("::ffff:192.0.2.0/120", "http://192.0.2.7/", false), except("::/0", "http://192.0.2.1/", true),
        except("::/0", "http://[::ffff:192.0.2.1]/", true), except("192.0.513", "http://192.0.2.1/", false),
        except("BÜCHER.example", "http://www.xn--bcher-kva.example/", false),
        except("xn--bcher-kva.example", "http://bücher.example/", false),
    ]

    static let nonsense = ["192.0.2.0/33", "192.0.2.0/-1", "192.0.2.0/", "/8", "a.example:99999", ".", ":", "["]

    static let loopback = [
        "http://localhost/", "https://localhost:8443/", "http://LOCALHOST/", "http://x.localhost:81/",
        "http://127.0.0.1/", "http://127.8.9.10/", "https://127.0.0.1/", "http://[::1]/",
        "http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/", "http://127.1/", "http://0x7f.1/",
        "http://2130706433/",
        "http://localhost./", "http://a.localhost./", "http://ＬＯＣＡＬＨＯＳＴ/",
    ]
}

@Suite struct ProxyPolicyTests {
    private static let proxy = "proxy.example:3128"

    /// Whether the policy leads to the proxy. Any other proxy is an issue.
    private func isProxied(_ policy: ProxyPolicy, _ url: String) throws -> Bool {
        guard let proxy = try policy.proxy(for: TargetURI(parsing: url)) else { return false }
        #expect("\(proxy.host):\(proxy.port)" == Self.proxy)
        return true
    }

    /// The variables of a text such as `name=value name=value`.
    private func variables(_ text: String) -> [String: String] {
        let pairs = text.split(separator: " ").map { pair in
            let name = pair.prefix { $0 != "=" }
            return (String(name), String(pair.dropFirst(name.count + 1)))
        }
        return Dictionary(uniqueKeysWithValues: pairs).mapValues {
            $0.replacing("PROXY", with: Self.proxy).replacing("OTHER", with: "other.example:1")
        }
    }

    @Test(arguments: ProxyRow.schemes + ProxyRow.cases)
    func `BAD-INPUT 36: the environment names a proxy for each scheme, and lower case wins`(_ row: ProxyRow) throws {
        #expect(try isProxied(.environment(variables(row.setting)), row.url) == row.isProxied)
    }

    @Test(arguments: ProxyRow.exceptions)
    func `BAD-INPUT 36: exceptions are the same in no_proxy and in code`(_ row: ProxyRow) throws {
        let variables = ["all_proxy": "http://\(Self.proxy)", "no_proxy": row.setting]
        #expect(try isProxied(.environment(variables), row.url) == row.isProxied)
        let exceptions = row.setting.split(separator: ",").map(String.init)
        #expect(try isProxied(.url("http://\(Self.proxy)", except: exceptions), row.url) == row.isProxied)
    }

    @Test(arguments: [" a.example , b.example", "b.example, a.example "])
    func `BAD-INPUT 36: names in no_proxy may have space around them`(_ names: String) throws {
        let variables = ["http_proxy": "http://\(Self.proxy)", "no_proxy": names]
        #expect(try !isProxied(.environment(variables), "http://a.example/"))
    }

    @Test(arguments: ProxyRow.nonsense)
    func `BAD-INPUT 36: an invalid exception is ignored in no_proxy, and an error in code`(_ text: String) throws {
        let variables = ["all_proxy": "http://\(Self.proxy)", "no_proxy": text]
        for url in ["http://192.0.2.1/", "http://a.example/"] {
            #expect(try isProxied(.environment(variables), url))
            let error = #expect(throws: CallError.self) {
                try isProxied(.url("http://\(Self.proxy)", except: ["b.example", text]), url)
            }
            #expect(error?.kind == .invalidRequest && error?.reason.contains("exception") == true)
        }
    }

    @Test(arguments: ProxyRow.loopback)
    func `only a proxy that the environment names is never asked for this machine`(_ url: String) throws {
        let variables = ["all_proxy": "http://\(Self.proxy)", "http_proxy": "http://\(Self.proxy)"]
        #expect(try !isProxied(.environment(variables), url))
        #expect(try isProxied(.url("http://\(Self.proxy)"), url))
    }

    @Test(arguments: ["http://localhost.example/", "http://127.example/", "http://128.0.0.1/", "http://[::2]/"])
    func `a host that only looks like this machine goes through the proxy`(_ url: String) throws {
        #expect(try isProxied(.environment(["all_proxy": "http://\(Self.proxy)"]), url))
    }

    @Test func `a policy is equal to itself and to one with equal rules`() {
        let closure = ProxyPolicy.choose { _ in nil }
        #expect(closure == closure && closure != .choose { _ in nil })
        let url = "http://a:b@\(Self.proxy)"
        #expect(ProxyPolicy.url(url, except: ["x"]) == .url(url, except: ["x"]))
        #expect(ProxyPolicy.url(url) != .url(url, except: ["x"]) && ProxyPolicy.url(url) != .none)
        #expect(ProxyPolicy.url(url) != .url("http://a:c@\(Self.proxy)"))
    }

    @Test func `a description shows no credentials, and the text for a digest tells them apart`() {
        let policies = ["user:s3cret", "user:other"].map { ProxyPolicy.url("http://\($0)@\(Self.proxy)") }
        for policy in policies { #expect("\(policy)" == "http://\(Self.proxy), http://\(Self.proxy)") }
        #expect(policies[0].secretText != policies[1].secretText)
        #expect(ProxyPolicy.choose { _ in nil }.secretText == nil)
    }
}
