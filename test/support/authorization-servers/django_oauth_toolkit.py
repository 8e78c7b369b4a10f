"""Django OAuth Toolkit over TLS. Standard input has one command as JSON in each line. Each command gets one line as answer.

Views, validators and tables of OAuth come from the toolkit. This file contains only what each project with the toolkit
writes: settings, addresses and the server.
"""

import json
import logging
import ssl
import sys
import threading

import django
from django.conf import settings

START = json.loads(sys.stdin.readline())
LIFETIMES = {}
GRANTED = []
REFUSED = []

settings.configure(
    SECRET_KEY=START["secretKey"],
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF="__main__",
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "oauth2_provider"],
    MIDDLEWARE=["__main__.refusals_counted"],
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": START["database"],
            "OPTIONS": {"timeout": 20},
        }
    },
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    USE_TZ=True,
    LOGGING_CONFIG=None,
    OAUTH2_PROVIDER={
        "ACCESS_TOKEN_EXPIRE_SECONDS": lambda request: LIFETIMES[request.client_id],
    },
)
django.setup()

from django.core.management import call_command  # noqa: E402
from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.urls import path  # noqa: E402
from oauth2_provider.models import Application  # noqa: E402
from oauth2_provider.signals import app_authorized  # noqa: E402
from oauth2_provider.views import IntrospectTokenView, RevokeTokenView, TokenView  # noqa: E402

urlpatterns = [path(at, TokenView.as_view()) for at in START["tokenPaths"]]
urlpatterns += [path("introspect", IntrospectTokenView.as_view()), path("revoke", RevokeTokenView.as_view())]


def refusals_counted(get_response):
    """Records the refusals of the token view, because the toolkit has no signal for a refusal."""

    def answer(request):
        response = get_response(request)
        if request.path[1:] in START["tokenPaths"] and response.status_code != 200:
            REFUSED.append(request.POST.get("client_id"))
        return response

    return answer


def granted(sender, request, token, **_):
    GRANTED.append(token.application.client_id)


def register(client):
    LIFETIMES[client["clientId"]] = client["lifetimeSeconds"]
    Application.objects.update_or_create(
        client_id=client["clientId"],
        defaults={
            "client_secret": client["clientSecret"],
            "client_type": Application.CLIENT_CONFIDENTIAL,
            "authorization_grant_type": Application.GRANT_CLIENT_CREDENTIALS,
        },
    )


def seen(client):
    return {"granted": GRANTED.count(client["clientId"]), "refused": REFUSED.count(client["clientId"])}


class Handler(WSGIRequestHandler):
    def log_message(self, *args):
        pass


class Server(ThreadedWSGIServer):
    request_queue_size = 128

    def handle_error(self, request, client_address):
        """Clients may close connections at any time, which is no error here."""


def serve():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(START["certificateFile"])
    server = Server(("127.0.0.1", 0), Handler)
    # The thread of the connection makes the handshake. In this thread, a slow client would block all others.
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    server.set_app(get_wsgi_application())
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_port


def send(answer):
    print(json.dumps(answer), flush=True)


logging.disable(logging.WARNING)
app_authorized.connect(granted)
call_command("migrate", verbosity=0)
send({"port": serve()})
for line in sys.stdin:
    command = json.loads(line)
    send({"register": register, "seen": seen}[command["do"]](command["client"]))
