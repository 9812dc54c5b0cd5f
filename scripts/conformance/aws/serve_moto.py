# Serves moto, a fake AWS, on loopback, and fills it with what the reporters look at. Moto does not know what an agent
# of ECS tells about a task, so that is added: every container of the task, its digest, and when the task started.
# Prints the access key of a user as JSON when it is ready. Requests must be signed by that key from then on.
import copy
import hashlib
import io
import json
import sys
import threading
import zipfile

import boto3
from moto import settings
from moto.ecs import models
from moto.moto_api import state_manager
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server

STARTED_AT = 1767323055
TASK_STATES = {"progression": "manual", "times": 1_000_000}

begin_task = models.Task.__init__


def begin_whole_task(self, cluster, task_definition, *args, **more):
    begin_task(self, cluster, task_definition, *args, **more)
    self.started_at = STARTED_AT
    self.containers = []
    for definition in task_definition.container_definitions:
        only = copy.copy(task_definition)
        only.container_definitions = [definition]
        container = models.Container(only)
        container.last_status = "RUNNING"
        image = definition["image"]
        if "/local/" not in image:
            digest = image.partition("@sha256:")[2] or hashlib.sha256(image.encode()).hexdigest()
            container.image_digest = "sha256:" + digest
        self.containers.append(container)


models.Task.__init__ = begin_whole_task


def connect(service, url):
    return boto3.client(
        service,
        endpoint_url=url,
        region_name="eu-west-1",
        aws_access_key_id="filler",
        aws_secret_access_key="filler",
    )


def fill_bucket(s3, bucket, objects):
    s3.create_bucket(Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
    for key, content in objects.items():
        s3.put_object(Bucket=bucket, Key=key, Body=content.encode())


def fill_tasks(url):
    ecs = connect("ecs", url)
    subnet = connect("ec2", url).describe_subnets()["Subnets"][0]["SubnetId"]
    network = {"awsvpcConfiguration": {"subnets": [subnet], "securityGroups": []}}
    for cluster in ("main", "batch", "idle"):
        ecs.create_cluster(clusterName=cluster)
    containers = [
        {"name": "web", "image": "registry.example.com/web:1", "memory": 64},
        {"name": "side", "image": "registry.example.com/side@sha256:" + "b" * 64, "memory": 64},
        {"name": "local", "image": "registry.example.com/local/tool:1", "memory": 64},
    ]
    for family, some in (("web", containers[:2]), ("job", containers[2:])):
        ecs.register_task_definition(family=family, containerDefinitions=some)
    place = {"launchType": "FARGATE", "networkConfiguration": network}
    # Moto starts no tasks for a service, so they are started here in the service's name.
    ecs.create_service(cluster="main", serviceName="web", taskDefinition="web", desiredCount=2, **place)
    ecs.run_task(cluster="main", taskDefinition="web", count=2, group="service:web", **place)
    ecs.run_task(cluster="batch", taskDefinition="job", count=1, **place)


def fill_functions(url):
    role = connect("iam", url).create_role(RoleName="runs", AssumeRolePolicyDocument="{}")["Role"]["Arn"]
    functions = connect("lambda", url)
    for name, code in (("checkout", "a = 1"), ("refund", "a = 2")):
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w") as file:
            file.writestr(zipfile.ZipInfo("main.py"), code)
        functions.create_function(
            FunctionName=name,
            Runtime="python3.12",
            Role=role,
            Handler="main.run",
            Code={"ZipFile": archive.getvalue()},
            Publish=name == "refund",
        )
    image = "123456789012.dkr.ecr.eu-west-1.amazonaws.com/app@sha256:" + "c" * 64
    functions.create_function(FunctionName="image", PackageType="Image", Role=role, Code={"ImageUri": image})


def make_user(url):
    iam = connect("iam", url)
    iam.create_user(UserName="reporter")
    allowed = [
        "ecs:ListClusters",
        "ecs:ListTasks",
        "ecs:DescribeTasks",
        "lambda:ListFunctions",
        "s3:ListBucket",
        "s3:GetObject",
    ]
    statement = {"Effect": "Allow", "Action": allowed, "Resource": "*"}
    policy = {"Version": "2012-10-17", "Statement": [statement]}
    iam.put_user_policy(UserName="reporter", PolicyName="reads", PolicyDocument=json.dumps(policy))
    key = iam.create_access_key(UserName="reporter")["AccessKey"]
    return {"key_id": key["AccessKeyId"], "secret": key["SecretAccessKey"]}


def main():
    application = DomainDispatcherApplication(create_backend_app)
    # One request at a time: the signature checks share state about a request.
    server = make_server("127.0.0.1", int(sys.argv[1]), application, threaded=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{sys.argv[1]}"
    state_manager.set_transition(model_name="ecs::task", transition=TASK_STATES)
    fill_bucket(
        connect("s3", url),
        "site",
        {
            "index.html": "<p>hello</p>\n",
            "css/main.css": "p { color: red }\n",
            "css-old/main.css": "p {}\n",
            "img/": "",
            "log/today.txt": "noise\n",
            "odd names/ü+&%41.txt": "odd\n",
        },
    )
    fill_bucket(connect("s3", url), "single", {"a/b/c.txt": "x"})
    fill_bucket(
        connect("s3", url),
        "ignoring",
        {".kosli_ignore": "log\n**/tmp\n*.bak # old\n", "log/a": "1", "x/tmp/b": "2", "x/y": "3", "k.bak": "4"},
    )
    fill_bucket(connect("s3", url), "nothing", {})
    fill_tasks(url)
    fill_functions(url)
    key = make_user(url)
    settings.INITIAL_NO_AUTH_ACTION_COUNT = 0
    print(json.dumps(key), flush=True)
    threading.Event().wait()


main()
